"""Owners and the one partition function: the same as Java's and librdkafka's murmur2."""

from __future__ import annotations

from uuid import uuid4

import pytest
from confluent_kafka import KafkaError, Message, Producer
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as kafka_pythons

from schemas.log.owner import Owner, OwnerKind, document, murmur2, partition, project, tenant_owner, user

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
owners = st.builds(Owner, text, st.sampled_from(OwnerKind), text)


@pytest.mark.parametrize(
    ("data", "java"),
    [
        # org.apache.kafka.common.utils.UtilsTest.testMurmur2
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_murmur2_is_javas(data: bytes, java: int) -> None:
    assert murmur2(data) == java & 0xFFFFFFFF


@given(st.binary(max_size=70))
def test_murmur2_is_kafka_pythons(data: bytes) -> None:
    assert murmur2(data) == int(kafka_pythons(data)) & 0xFFFFFFFF


def test_partition_is_librdkafkas_murmur2() -> None:
    """Asked of librdkafka itself, over its mock cluster."""
    count, names = 4, [f"user-{i}" for i in range(60)] + ["用户", "a/b", "%2F", "", "x" * 255]
    producer = Producer(
        {"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "partitioner": "murmur2", "log_level": 0}
    )
    topic, went = f"t-{uuid4().hex[:8]}", dict[str, int]()

    def report(error: KafkaError | None, message: Message) -> None:
        assert error is None
        went[(message.value() or b"").decode()] = message.partition() or 0

    for name in names:
        producer.produce(topic, name.encode(), user("acme", name).key.encode(), on_delivery=report)
    producer.flush(20)
    assert went == {n: partition(user("acme", n), count) for n in names}
    assert len(set(went.values())) == count


@given(owners)
def test_an_owner_key_is_reversible(owner: Owner) -> None:
    assert Owner.parse(owner.key) == owner
    assert owner.key.count("/") == 2


@given(owners, owners)
def test_no_owner_imitates_another(a: Owner, b: Owner) -> None:
    assert (a.key == b.key) == (a == b)


@pytest.mark.parametrize(
    "key", ["", "a/b", "a/user/b/c", "a/nobody/b", "a b/user/c", "a/user/%zz", "a%2fb/user/c", "a/USER/b"]
)
def test_what_is_no_owner_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Owner.parse(key)


def test_kinds_of_one_name_are_different_owners() -> None:
    keys = {o.key for o in (user("t", "x"), project("t", "x"), document("t", "x"), tenant_owner("t"))}
    assert len(keys) == 4


@given(owners, st.integers(1, 64))
def test_partitions_lie_in_range(owner: Owner, count: int) -> None:
    assert 0 <= partition(owner, count) < count
