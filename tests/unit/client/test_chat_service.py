"""The example that chat services begin from: what its caller does wrong is the caller's to hear."""

from __future__ import annotations

from fastapi.testclient import TestClient

from examples.chat_service import create


def test_a_rating_that_is_none_is_refused_with_its_field() -> None:
    app = create()
    app.state.memory = object()
    answer = TestClient(app).post("/feedback", json={"user_id": "ana", "context_id": "c", "rating": "splendid"})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", "rating"]
