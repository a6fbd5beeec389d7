"""A store that fails is left alone, and asked again (D11)."""

from __future__ import annotations

from query.milvus import Circuit


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def is_open(circuit: Circuit) -> bool:
    return circuit.is_open


def test_d11_a_circuit_opens_after_failures_in_a_row_and_closes_with_an_answer() -> None:
    clock = Clock()
    circuit = Circuit(failures=3, seconds=5.0, clock=clock)
    for _ in range(2):
        circuit.failed()
    circuit.succeeded()
    for _ in range(2):
        circuit.failed()
    assert circuit.lets_through()
    assert not is_open(circuit)
    circuit.failed()
    assert is_open(circuit)
    assert not circuit.lets_through()
    clock.now = 5.0
    assert circuit.lets_through(), "one call tries"
    assert not circuit.lets_through(), "and the others wait for it"
    circuit.failed()
    clock.now = 9.9
    assert not circuit.lets_through()
    clock.now = 10.0
    assert circuit.lets_through()
    circuit.succeeded()
    assert not is_open(circuit)
    assert circuit.lets_through()
