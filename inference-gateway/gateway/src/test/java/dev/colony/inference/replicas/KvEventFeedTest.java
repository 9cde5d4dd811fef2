package dev.colony.inference.replicas;

import static dev.colony.inference.replicas.KvEventsTest.list;
import static dev.colony.inference.replicas.KvEventsTest.packed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

/** The feed against a publisher that speaks as vLLM's does. */
class KvEventFeedTest {

  private static final byte[] END = ByteBuffer.allocate(8).putLong(-1).array();

  private final ZContext context = new ZContext();
  private final ZMQ.Socket publisher = context.createSocket(SocketType.XPUB);
  private final int port = publisher.bindToRandomPort("tcp://127.0.0.1");
  private final ZMQ.Socket router = context.createSocket(SocketType.ROUTER);
  private final int replayPort = router.bindToRandomPort("tcp://127.0.0.1");
  private final Map<Long, byte[]> kept = new TreeMap<>();
  private final List<KvEvent> heard = new CopyOnWriteArrayList<>();
  private KvEventFeed feed;

  /** Whether the replay has the topic, as from vLLM 0.32 on. */
  private boolean topics = true;

  private void follow(boolean replays) {
    feed =
        KvEventFeed.follow(
            "r",
            new KvEventFeed.Settings(
                URI.create("tcp://127.0.0.1:" + port),
                replays
                    ? Optional.of(URI.create("tcp://127.0.0.1:" + replayPort))
                    : Optional.empty(),
                "kv"),
            heard::addAll);
    // a subscription has arrived when it can be received
    publisher.setReceiveTimeOut(20_000);
    assertThat(publisher.recv()).isNotNull();
  }

  @AfterEach
  void close() {
    if (feed != null) {
      feed.close();
    }
    context.close();
  }

  private static byte[] removal(long block) throws IOException {
    return packed(list(1.0, list(list("BlockRemoved", list(block)))));
  }

  private static KvEvent removed(long block) {
    return new KvEvent.Removed(List.of(block));
  }

  private void keep(long sequence) throws IOException {
    kept.put(sequence, removal(100 + sequence));
  }

  private void publish(long sequence) throws IOException {
    ZMsg message = new ZMsg();
    message.add("kv");
    message.add(ByteBuffer.allocate(8).putLong(sequence).array());
    message.add(removal(100 + sequence));
    message.send(publisher);
  }

  /** Answers one request as vLLM does. */
  private long replay() {
    router.setReceiveTimeOut(20_000);
    ZMsg request = ZMsg.recvMsg(router);
    assertThat(request).hasSize(3);
    byte[] client = request.pop().getData();
    assertThat(request.pop().getData()).isEmpty();
    long from = ByteBuffer.wrap(request.pop().getData()).getLong();
    kept.forEach((sequence, batch) -> {
      if (sequence >= from) {
        answer(client, ByteBuffer.allocate(8).putLong(sequence).array(), batch);
      }
    });
    answer(client, END, new byte[0]);
    return from;
  }

  private void answer(byte[] client, byte[] sequence, byte[] batch) {
    ZMsg message = new ZMsg();
    message.add(client);
    message.add(new byte[0]);
    if (topics) {
      message.add(batch.length == 0 ? "" : "kv");
    }
    message.add(sequence);
    message.add(batch);
    message.send(router);
  }

  private void hears(KvEvent... events) {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(heard).containsExactly(events));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasMissedIsAskedForAndComesInOrder(boolean withTopics) throws Exception {
    topics = withTopics;
    follow(true);
    keep(0);
    keep(1);
    publish(1);
    assertThat(replay()).isZero();
    hears(removed(100), removed(101));
    publish(2);
    hears(removed(100), removed(101), removed(102));
    for (long sequence = 2; sequence <= 5; sequence++) {
      keep(sequence);
    }
    publish(5);
    assertThat(replay()).as("from the last one that is known").isEqualTo(2);
    hears(removed(100), removed(101), removed(102), removed(103), removed(104), removed(105));
  }

  @Test
  void whereTheEngineHasKeptTooLittleItIsSaidAndGoesOn() throws Exception {
    follow(true);
    publish(0);
    hears(removed(100));
    keep(3);
    keep(4);
    publish(4);
    assertThat(replay()).isZero();
    hears(removed(100), new KvEvent.Missed(), removed(104));
    publish(5);
    hears(removed(100), new KvEvent.Missed(), removed(104), removed(105));
  }

  @Test
  void whereTheEngineKeepsNothingAGapIsSaid() throws Exception {
    follow(false);
    publish(7);
    publish(8);
    publish(10);
    hears(new KvEvent.Missed(), removed(107), removed(108), new KvEvent.Missed(), removed(110));
  }

  @Test
  void anEngineThatCountsAnewBeginsWithAnEmptyCache() throws Exception {
    follow(false);
    publish(0);
    publish(1);
    publish(0);
    publish(1);
    hears(removed(100), removed(101), new KvEvent.Cleared(), removed(100), removed(101));
  }

  @Test
  void ofAnEngineThatIsKnownToBeAnewAllIsAskedFor() throws Exception {
    follow(true);
    publish(0);
    publish(1);
    hears(removed(100), removed(101));
    feed.restarted();
    hears(removed(100), removed(101), new KvEvent.Cleared());
    kept.put(0L, removal(200));
    kept.put(1L, removal(201));
    publish(2);
    assertThat(replay()).isZero();
    hears(
        removed(100),
        removed(101),
        new KvEvent.Cleared(),
        removed(200),
        removed(201),
        removed(102));
  }

  /** Its numbers have gone on beyond those of its life before until it is heard again. */
  @Test
  void anEngineThatCountsAnewAndPastIsKnownByItsLastMessage() throws Exception {
    follow(true);
    publish(0);
    publish(1);
    hears(removed(100), removed(101));
    for (long sequence = 0; sequence <= 3; sequence++) {
      kept.put(sequence, removal(200 + sequence));
    }
    publish(3);
    assertThat(replay()).isEqualTo(1);
    assertThat(replay()).isZero();
    hears(
        removed(100),
        removed(101),
        new KvEvent.Cleared(),
        removed(200),
        removed(201),
        removed(202),
        removed(103));
  }

  @Test
  void whatCannotBeReadIsAGapAndNotTheEnd() throws Exception {
    follow(false);
    publish(0);
    ZMsg broken = new ZMsg();
    broken.add("kv");
    broken.add(ByteBuffer.allocate(8).putLong(1).array());
    broken.add("no batch");
    broken.send(publisher);
    ZMsg short1 = new ZMsg();
    short1.add("kv");
    short1.send(publisher);
    publish(2);
    hears(removed(100), new KvEvent.Missed(), removed(102));
  }
}
