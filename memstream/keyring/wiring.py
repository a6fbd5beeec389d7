"""What of encryption a process needs, from its settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from memstream.keyring.cipher import AesCipher, WaitedKeys
from memstream.keyring.master import LazyMasterKeys, LocalMasterKeys
from memstream.keyring.originals import Vault
from memstream.keyring.state import SealedStateStore
from memstream.keyring.store import Keyring
from memstream.settings import Settings
from schemas.log.codec import Codec
from schemas.log.owner import Owner
from schemas.profile.model import Profile
from schemas.profile.pii_policy import PiiAction
from streams.state.protocol import StateStore

MASTER_FILE = "master.keys"


@dataclass(frozen=True, slots=True)
class Sealing:
    """`cipher` None: encryption is off. The keyring stands in any case: the PII policy `encrypt` keeps originals under
    it, and an erasure destroys what it holds."""

    codec: Codec
    keyring: Keyring
    vault: Vault
    cipher: AesCipher | None = None

    def state(self, store: StateStore) -> StateStore:
        return store if self.cipher is None else SealedStateStore(store, self.cipher)

    def new_keys(self, profile_of: Callable[[str], Profile]) -> Callable[[Owner], timedelta]:
        """What the door does with the key of who is to be erased (`Deps.new_keys`). Where encryption is off most owners
        have none, and what is erased of them ends at once."""

        def renewed(owner: Owner) -> timedelta:
            may_have = self.cipher is not None or PiiAction.ENCRYPT in profile_of(owner.tenant).pii.values()
            return self.keyring.renewed(owner) if may_have else self.keyring.renewed_if_any(owner)

        return renewed

    def close(self) -> None:
        self.keyring.close()


def master_keys(settings: Settings) -> LocalMasterKeys:
    """From the environment, a named file, or the file in the data folder. Raises MasterKeyError."""
    secret = settings.master_key.get_secret_value()
    if secret:
        return LocalMasterKeys.of_environment(secret)
    return LocalMasterKeys.of_file(settings.master_key_file or settings.data_dir / MASTER_FILE)


def sealing_of(settings: Settings, waiting: Callable[[], AbstractContextManager[None]] = nullcontext) -> Sealing:
    """`waiting`: around whatever may wait for the keyring. Raises MasterKeyError."""
    dsn = settings.postgres.get_secret_value()
    if settings.encryption == "off":
        keyring = Keyring(dsn, LazyMasterKeys(partial(master_keys, settings)))
        return Sealing(Codec(), keyring, Vault(WaitedKeys(keyring, waiting)))
    keyring = Keyring(dsn, master_keys(settings))
    keys = WaitedKeys(keyring, waiting)
    cipher = AesCipher(keys, settings.sealed_to)
    return Sealing(Codec(cipher), keyring, Vault(keys), cipher)
