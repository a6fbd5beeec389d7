"""The language model of the settings."""

from __future__ import annotations

from inference.openai_compatible import EndpointConfig, OpenAiCompatible
from memstream.settings import Settings


def endpoint_of(settings: Settings) -> OpenAiCompatible | None:
    """None where no model is configured. One try a call: whoever runs a job knows how long it may wait."""
    if not settings.model_url:
        return None
    return OpenAiCompatible(
        EndpointConfig(
            settings.model_url, settings.model_name, settings.model_key.get_secret_value(),
            timeout=settings.model_timeout_seconds, concurrency=settings.model_concurrency, tries=1,
            prompt_price=settings.model_prompt_price, completion_price=settings.model_completion_price,
        )
    )  # fmt: skip
