package dev.colony.replica;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Publishes the events of the KV cache over ZeroMQ as vLLM does: a PUB socket with messages of
 * topic, sequence number (8 bytes, big-endian) and batch, and a ROUTER socket that sends the latest
 * batches again from a sequence number on, each with an empty frame before its topic, then an empty
 * batch with the number -1.
 *
 * <p>Batches go out in order. A subscriber that is too slow, and a queue that is full, lose whole
 * batches, which shows as a gap of the sequence numbers. Thread-safe.
 */
final class KvEventPublisher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvEventPublisher.class);
  private static final long POLL_MILLIS = 20;
  private static final byte[] NOTHING = {};

  /** Batches kept for replay. */
  private static final int KEPT = 10_000;

  /** Batches kept for a subscriber that is too slow. */
  private static final int HIGH_WATER_MARK = 100_000;

  /** Batches that wait to be published. */
  private static final int MOST_QUEUED = 100_000;

  private record Batch(long sequence, double seconds, List<KvEvent> events) {}

  private record Sent(long sequence, byte[] payload) {}

  private final ZContext context;
  private final ZMQ.Socket events;
  private final ZMQ.Socket replay;
  private final int port;
  private final int replayPort;
  private final BlockingQueue<Batch> queue = new ArrayBlockingQueue<>(MOST_QUEUED);
  private final ArrayDeque<Sent> buffer = new ArrayDeque<>();
  private final Thread thread;
  private volatile boolean closed;
  private long sequence;

  /**
   * Binds both sockets.
   *
   * @throws IOException if an address cannot be bound
   */
  KvEventPublisher(String host, int port) throws IOException {
    this.context = new ZContext();
    try {
      this.events = context.createSocket(SocketType.PUB);
      events.setSndHWM(HIGH_WATER_MARK);
      events.setLinger(0);
      this.replay = context.createSocket(SocketType.ROUTER);
      replay.setLinger(0);
      this.port = bind(events, host, port);
      this.replayPort = bind(replay, host, port == 0 ? 0 : port + 1);
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
    byte[] payload = KvEvent.pack(batch.seconds(), batch.events());
    events.sendMore(NOTHING);
    events.sendMore(bytes(batch.sequence()));
    events.send(payload);
    buffer.add(new Sent(batch.sequence(), payload));
    if (buffer.size() > KEPT) {
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

  /** A change of the KV cache, in the form that vLLM publishes. */
  sealed interface KvEvent {

    /**
     * Blocks were filled, each the next one's parent.
     *
     * @param parent the block before the first; empty at the start of a prompt
     * @param salt in the hash of a prompt's first block; empty for none
     */
    record BlockStored(
        long[] hashes, OptionalLong parent, int[] tokens, int blockTokens, String salt)
        implements KvEvent {}

    /** A block lost its content. */
    record BlockRemoved(long hash) implements KvEvent {}

    /** All blocks lost their content. */
    record AllBlocksCleared() implements KvEvent {}

    /** vLLM's word for the memory that the blocks stand in. */
    String MEDIUM = "GPU";

    /**
     * A batch of events as msgpack: its time, the events, and the rank of the engine. An event is
     * an array of its name and its fields.
     *
     * @param seconds since the epoch
     */
    static byte[] pack(double seconds, List<KvEvent> events) {
      try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
        packer.packArrayHeader(3).packDouble(seconds).packArrayHeader(events.size());
        for (KvEvent event : events) {
          pack(packer, event);
        }
        packer.packInt(0);
        return packer.toByteArray();
      } catch (IOException e) {
        throw new UncheckedIOException("a buffer in memory cannot fail to be written", e);
      }
    }

    private static void pack(MessagePacker packer, KvEvent event) throws IOException {
      switch (event) {
        case BlockStored stored -> {
          packer.packArrayHeader(9).packString("BlockStored");
          hashes(packer, stored.hashes());
          if (stored.parent().isPresent()) {
            hash(packer, stored.parent().getAsLong());
          } else {
            packer.packNil();
          }
          packer.packArrayHeader(stored.tokens().length);
          for (int token : stored.tokens()) {
            packer.packInt(token);
          }
          packer.packInt(stored.blockTokens()).packNil().packString(MEDIUM).packNil();
          extraKeys(packer, stored);
        }
        case BlockRemoved removed -> {
          packer.packArrayHeader(3).packString("BlockRemoved");
          hashes(packer, new long[] {removed.hash()});
          packer.packString(MEDIUM);
        }
        case AllBlocksCleared cleared -> packer.packArrayHeader(1).packString("AllBlocksCleared");
      }
    }

    /** The salt, with the block that has it in its hash; nil with the others. */
    private static void extraKeys(MessagePacker packer, BlockStored stored) throws IOException {
      packer.packArrayHeader(stored.hashes().length);
      for (int i = 0; i < stored.hashes().length; i++) {
        if (i == 0 && stored.parent().isEmpty() && !stored.salt().isEmpty()) {
          packer.packArrayHeader(1).packString(stored.salt());
        } else {
          packer.packNil();
        }
      }
    }

    private static void hashes(MessagePacker packer, long[] hashes) throws IOException {
      packer.packArrayHeader(hashes.length);
      for (long hash : hashes) {
        hash(packer, hash);
      }
    }

    /** 64 bits without a sign. */
    private static void hash(MessagePacker packer, long hash) throws IOException {
      if (hash >= 0) {
        packer.packLong(hash);
      } else {
        packer.packBigInteger(new BigInteger(Long.toUnsignedString(hash)));
      }
    }
  }
}
