package dev.colony.replica;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Publishes the events of the KV cache over ZeroMQ as vLLM does: a PUB socket with messages of
 * topic, sequence number (8 bytes, big-endian) and batch, and a ROUTER socket that sends the latest
 * batches again from a sequence number on, then an empty batch with the number -1.
 *
 * <p>Batches go out in order. A subscriber that is too slow, and a queue that is full, lose whole
 * batches, which shows as a gap of the sequence numbers. Thread-safe.
 */
final class KvEventPublisher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvEventPublisher.class);
  private static final long POLL_MILLIS = 20;
  private static final byte[] NOTHING = {};

  private record Batch(long sequence, double seconds, List<KvEvent> events) {}

  private record Sent(long sequence, byte[] payload) {}

  private final KvEventSettings settings;
  private final ZContext context;
  private final ZMQ.Socket events;
  private final ZMQ.Socket replay;
  private final int port;
  private final int replayPort;
  private final BlockingQueue<Batch> queue;
  private final ArrayDeque<Sent> buffer = new ArrayDeque<>();
  private final Thread thread;
  private volatile boolean closed;
  private long sequence;

  /**
   * Binds both sockets.
   *
   * @throws IOException if an address cannot be bound
   */
  KvEventPublisher(String host, KvEventSettings settings) throws IOException {
    this.settings = settings;
    this.queue = new ArrayBlockingQueue<>(settings.maxQueued());
    this.context = new ZContext();
    try {
      this.events = context.createSocket(SocketType.PUB);
      events.setSndHWM(settings.highWaterMark());
      events.setLinger(0);
      this.replay = context.createSocket(SocketType.ROUTER);
      replay.setLinger(0);
      this.port = bind(events, host, settings.port());
      this.replayPort = bind(replay, host, settings.replayPort());
    } catch (IOException e) {
      context.close();
      throw e;
    }
    this.thread = Thread.ofPlatform().daemon().name("embedded-replica-kv-events").start(this::run);
  }

  int port() {
    return port;
  }

  int replayPort() {
    return replayPort;
  }

  /** Publishes what happened in one step. */
  synchronized void publish(double seconds, List<KvEvent> events) {
    queue.offer(new Batch(sequence++, seconds, List.copyOf(events)));
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closed) {
        Batch batch = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (batch != null) {
          send(batch);
        }
        serveReplay();
      }
    } catch (InterruptedException e) {
      LOG.debug("the publisher of KV events stops");
    } catch (ZMQException e) {
      LOG.error("the publisher of KV events failed; no more events are published", e);
    } finally {
      context.close();
    }
  }

  private void send(Batch batch) {
    byte[] payload = KvEvent.pack(batch.seconds(), batch.events(), settings.encoding());
    events.sendMore(settings.topic().getBytes(StandardCharsets.UTF_8));
    events.sendMore(bytes(batch.sequence()));
    events.send(payload);
    buffer.add(new Sent(batch.sequence(), payload));
    if (buffer.size() > settings.bufferSteps()) {
      buffer.poll();
    }
  }

  /** A request is the client's id, an empty frame, and the first sequence number that it wants. */
  private void serveReplay() {
    byte[] client = replay.recv(ZMQ.DONTWAIT);
    if (client == null) {
      return;
    }
    byte[] last = client;
    int frames = 1;
    while (replay.hasReceiveMore()) {
      last = replay.recv();
      frames++;
    }
    if (frames != 3 || last.length != Long.BYTES) {
      LOG.warn("a replay request of {} frames is none", frames);
      return;
    }
    long from = ByteBuffer.wrap(last).getLong();
    for (Sent sent : buffer) {
      if (sent.sequence() >= from) {
        reply(client, sent.sequence(), sent.payload());
      }
    }
    reply(client, -1, NOTHING);
  }

  private void reply(byte[] client, long number, byte[] payload) {
    replay.sendMore(client);
    replay.sendMore(NOTHING);
    replay.sendMore(bytes(number));
    replay.send(payload);
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /** The port that it is bound to. */
  private static int bind(ZMQ.Socket socket, String host, int port) throws IOException {
    String address = "tcp://" + host + ":" + (port == 0 ? "*" : Integer.toString(port));
    try {
      socket.bind(address);
    } catch (ZMQException e) {
      throw new IOException("cannot publish KV events at " + address, e);
    }
    String bound = socket.getLastEndpoint();
    return Integer.parseInt(bound.substring(bound.lastIndexOf(':') + 1));
  }
}
