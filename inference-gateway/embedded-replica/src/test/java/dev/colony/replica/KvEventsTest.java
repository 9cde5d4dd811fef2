package dev.colony.replica;

import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.core.MessagePack;
import org.msgpack.value.ArrayValue;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

class KvEventsTest {

  private record Message(String topic, long sequence, byte[] payload) {}

  private final ZContext context = new ZContext();
  private EmbeddedReplica replica;
  private HttpDriver http;
  private ZMQ.Socket events;

  @AfterEach
  void stop() {
    context.close();
    http.close();
    replica.close();
  }

  @Test
  void batchesAreArraysOfTheFieldsInTheirOrder() {
    start();
    Message message = firstOf("acme");

    assertThat(message.topic()).isEmpty();
    ArrayValue batch = value(message.payload()).asArrayValue();
    assertThat(batch.size()).isEqualTo(3);
    assertThat(batch.get(0).isFloatValue()).isTrue();
    assertThat(batch.get(2).asIntegerValue().toInt()).isZero();
    ArrayValue stored = batch.get(1).asArrayValue().get(0).asArrayValue();
    assertThat(stored.size()).isEqualTo(9);
    assertThat(stored.get(0).asStringValue().asString()).isEqualTo("BlockStored");
    int blocks = stored.get(1).asArrayValue().size();
    assertThat(blocks).isGreaterThan(10);
    assertThat(stored.get(1).asArrayValue().list())
        .allSatisfy(hash -> assertThat(hash.asIntegerValue().toBigInteger().signum()).isPositive());
    assertThat(stored.get(2).isNilValue()).isTrue();
    assertThat(stored.get(3).asArrayValue().size()).isEqualTo(16 * blocks);
    assertThat(stored.get(4).asIntegerValue().toInt()).isEqualTo(16);
    assertThat(stored.get(5).isNilValue()).isTrue();
    assertThat(stored.get(6).asStringValue().asString()).isEqualTo("GPU");
    assertThat(stored.get(7).isNilValue()).isTrue();
    List<Value> extra = stored.get(8).asArrayValue().list();
    assertThat(extra).hasSize(blocks);
    assertThat(extra.getFirst().asArrayValue().list())
        .containsExactly(ValueFactory.newString("acme"));
    assertThat(extra.subList(1, blocks)).allMatch(Value::isNilValue);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gap"})
  void theEventsSayWhatTheCacheHolds(String kind) {
    // Room for two of the pages.
    start("capacity-blocks = 48", "context-tokens = 700");
    firstOf("");
    Set<Value> held = new HashSet<>();
    List<Message> all = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "a")) {
      ask(name, "");
    }
    http.post("/reset_prefix_cache", "");
    ask("d", "");
    // What a subscriber has missed it asks for again, here everything.
    await()
        .until(() -> {
          all.clear();
          all.addAll(replay(0));
          return all.stream().anyMatch(m -> value(m.payload()).toString().contains("Cleared"))
              && all.size() > 4;
        });
    assertThat(all.stream().map(Message::sequence)).isSorted();
    assertThat(all.getFirst().sequence()).isZero();
    boolean cleared = false;
    int removed = 0;
    Value last = ValueFactory.newNil();
    for (Message message : all) {
      for (Value event : value(message.payload()).asArrayValue().get(1).asArrayValue()) {
        ArrayValue fields = event.asArrayValue();
        switch (fields.get(0).asStringValue().asString()) {
          case "BlockStored" -> {
            assertThat(fields.get(2).isNilValue() || held.contains(fields.get(2))).isTrue();
            held.addAll(fields.get(1).asArrayValue().list());
          }
          case "BlockRemoved" -> {
            assertThat(held.removeAll(fields.get(1).asArrayValue().list())).isTrue();
            removed++;
          }
          case "AllBlocksCleared" -> {
            held.clear();
            cleared = true;
          }
          default -> throw new AssertionError("unknown event " + event);
        }
        last = event;
      }
    }
    assertThat(cleared).isTrue();
    assertThat(removed).isPositive();
    assertThat(held).hasSizeBetween(1, 48);
    if (kind.equals("gap")) {
      long from = all.get(2).sequence();
      assertThat(replay(from).getFirst().sequence()).isEqualTo(from);
    }
  }

  @Test
  void withoutTheSettingNothingIsPublished() {
    replica = Replicas.start();
    http = new HttpDriver(replica.uri());
    assertThat(replica.kvEventsPort()).isEmpty();
    assertThat(replica.kvReplayPort()).isEmpty();
  }

  private void start(String... settings) {
    List<String> lines = new ArrayList<>(List.of(settings));
    lines.add("kv-events { enabled = true, port = 0 }");
    replica = Replicas.start(lines.toArray(String[]::new));
    http = new HttpDriver(replica.uri());
    events = socket(SocketType.SUB);
    events.subscribe("");
    events.setReceiveTimeOut(200);
    events.connect("tcp://127.0.0.1:" + replica.kvEventsPort().orElseThrow());
  }

  /** JeroMQ's handshakes hang at times, and begin again only after their interval. */
  private ZMQ.Socket socket(SocketType type) {
    ZMQ.Socket socket = context.createSocket(type);
    socket.setHandshakeIvl(200);
    return socket;
  }

  /**
   * The beginning of a prompt. What is published before the subscription stands is lost, and the
   * prompts begin alike, so the cache forgets each that was not seen.
   */
  private Message firstOf(String salt) {
    for (int i = 0; i < 50; i++) {
      ask("first" + i, salt);
      for (byte[] topic = events.recv(); topic != null; topic = events.recv()) {
        long sequence = ByteBuffer.wrap(events.recv()).getLong();
        byte[] payload = events.recv();
        if (begins(value(payload))) {
          return new Message(new String(topic, StandardCharsets.UTF_8), sequence, payload);
        }
      }
      http.post("/reset_prefix_cache", "");
    }
    throw new AssertionError("no event of a prompt's beginning was published");
  }

  /** Whether the first event of a batch stores blocks that follow on no other. */
  private static boolean begins(Value batch) {
    Value all = batch.asArrayValue().get(1);
    Value event = all.asArrayValue().get(0);
    Value type = event.asArrayValue().get(0);
    return type.asStringValue().asString().equals("BlockStored")
        && event.asArrayValue().get(2).isNilValue();
  }

  private List<Message> replay(long from) {
    List<Message> again = new ArrayList<>();
    try (ZMQ.Socket replay = socket(SocketType.DEALER)) {
      replay.setReceiveTimeOut(10_000);
      replay.connect("tcp://127.0.0.1:" + replica.kvReplayPort().orElseThrow());
      replay.sendMore("");
      replay.send(ByteBuffer.allocate(8).putLong(from).array());
      again.addAll(replayed(replay));
    }
    return again;
  }

  private static List<Message> replayed(ZMQ.Socket replay) {
    List<Message> again = new ArrayList<>();
    while (true) {
      assertThat(replay.recv()).isEmpty();
      assertThat(replay.recv()).as("the topic").isEmpty();
      long sequence = ByteBuffer.wrap(replay.recv()).getLong();
      byte[] payload = replay.recv();
      if (sequence == -1) {
        assertThat(payload).isEmpty();
        return again;
      }
      again.add(new Message("", sequence, payload));
    }
  }

  private void ask(String name, String salt) {
    ObjectNode body = prompt("Question: what is " + name + "1?", page(name, 40));
    if (!salt.isEmpty()) {
      body.put("cache_salt", salt);
    }
    assertThat(http.chat(body.toString()).statusCode()).isEqualTo(200);
  }

  private static Value value(byte[] payload) {
    try {
      return MessagePack.newDefaultUnpacker(payload).unpackValue();
    } catch (IOException e) {
      throw new AssertionError("not msgpack", e);
    }
  }
}
