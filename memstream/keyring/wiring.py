"""What of encryption a process needs, from its settings."""

from __future__ import annotations

from dataclasses import dataclass

from memstream.keyring.cipher import AesCipher
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.state import SealedStateStore
from memstream.keyring.store import Keyring
from memstream.settings import Settings
from schemas.codec import Codec
from streams.state import StateStore

MASTER_FILE = "master.keys"


@dataclass(frozen=True, slots=True)
class Sealing:
    """`keyring` None: encryption is off."""

    codec: Codec
    keyring: Keyring | None = None
    cipher: AesCipher | None = None

    def state(self, store: StateStore) -> StateStore:
        return store if self.cipher is None else SealedStateStore(store, self.cipher)

    def close(self) -> None:
        if self.keyring is not None:
            self.keyring.close()


def master_keys(settings: Settings) -> LocalMasterKeys:
    """From the environment, a named file, or the file in the data folder. Raises MasterKeyError."""
    told = settings.master_key.get_secret_value()
    if told:
        return LocalMasterKeys.of_environment(told)
    return LocalMasterKeys.of_file(settings.master_key_file or settings.data_dir / MASTER_FILE)


def sealing_of(settings: Settings) -> Sealing:
    """Raises MasterKeyError."""
    if settings.encryption == "off":
        return Sealing(Codec())
    keyring = Keyring(settings.postgres.get_secret_value(), master_keys(settings))
    cipher = AesCipher(keyring)
    return Sealing(Codec(cipher), keyring, cipher)
