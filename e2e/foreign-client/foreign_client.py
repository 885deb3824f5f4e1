"""A client that is not ours: Confluent's Python client talks to a running platform.

Reads the platform's address book (local.json) from argv[1], publishes 100 document.ingested with the schema that the
registry holds, filling five fields only, reads the 100 document.enriched that answer, and lets librdkafka place 1,000
random keys by murmur2. Prints one JSON object: {"published", "enriched": [...], "placements": [[key, partition], ...]}.
"""

import json
import random
import sys
import time
import uuid

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

DOCUMENTS = 100
KEYS = 1000
PATIENCE_SECONDS = 120


def publish_documents(producer, registry, tenant, run):
    schema = registry.get_latest_version("document.ingested-value").schema
    serialize = AvroSerializer(registry, schema, conf={"auto.register.schemas": False, "use.latest.version": True})
    context = SerializationContext("document.ingested", MessageField.VALUE)
    for number in range(DOCUMENTS):
        document_id = f"{run}-{number}"
        event = {
            "tenantId": tenant,
            "documentId": document_id,
            "revision": int(time.time() * 1000),
            "occurredAt": int(time.time() * 1000),
            "text": f"Document {number} comes from Python. The support was excellent, and the invoice is paid.",
        }
        producer.produce("document.ingested", key=document_id, value=serialize(event, context), on_delivery=must_be_acked)
    producer.flush(30)


def must_be_acked(error, _message):
    if error is not None:
        raise RuntimeError(f"not acknowledged: {error}")


def read_enriched(consumer, registry, run):
    deserialize = AvroDeserializer(registry)
    context = SerializationContext("document.enriched", MessageField.VALUE)
    seen = {}
    end = time.monotonic() + PATIENCE_SECONDS
    while len(seen) < DOCUMENTS and time.monotonic() < end:
        message = consumer.poll(0.5)
        if message is None or message.error():
            continue
        event = deserialize(message.value(), context)
        if event["documentId"].startswith(run):
            seen[event["documentId"]] = event
    return [
        {
            "documentId": event["documentId"],
            "state": event["state"],
            "outcomes": [[outcome["analysis"], outcome["status"]] for outcome in event["outcomes"]],
        }
        for event in seen.values()
    ]


def place_keys(producer, admin, run):
    topic = f"placement-{run}"
    admin.create_topics([NewTopic(topic, num_partitions=8)])[topic].result(30)
    placements = []

    def note(error, message):
        must_be_acked(error, message)
        placements.append([message.key().decode(), message.partition()])

    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./ äöüßéñ漢字🙂"
    for _ in range(KEYS):
        key = "".join(random.choice(alphabet) for _ in range(random.randint(1, 40)))
        producer.produce(topic, key=key, value=b"", on_delivery=note)
    producer.flush(30)
    admin.delete_topics([topic])[topic].result(30)
    return placements


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        book = json.load(file)
    run = f"python-{uuid.uuid4()}"
    kafka = {"bootstrap.servers": book["kafka"]}
    registry = SchemaRegistryClient({"url": book["registry"]})
    producer = Producer({**kafka, "partitioner": "murmur2_random", "acks": "all"})
    consumer = Consumer({**kafka, "group.id": run, "auto.offset.reset": "earliest"})
    consumer.subscribe(["document.enriched"])
    publish_documents(producer, registry, book["tenant"], run)
    enriched = read_enriched(consumer, registry, run)
    consumer.close()
    placements = place_keys(producer, AdminClient(kafka), run)
    print(json.dumps({"published": DOCUMENTS, "enriched": enriched, "placements": placements}))


main()
