package dev.colony.inference.replicas;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

/**
 * Follows the KV-cache events of one engine over ZeroMQ, as vLLM publishes them: messages of topic,
 * sequence number and batch. Batches are handed on in order and without gaps: where a number is
 * missing, the engine is asked for what it has kept since; where it has kept too little or does not
 * answer, the listener is told so by {@link KvEvent.Missed}, and where the engine counts from the
 * beginning again, by {@link KvEvent.Cleared}.
 *
 * <p>That it counts anew shows by a number that has come before, or, where it has counted on past
 * it before it was heard again, by the last message that was handed on: it is asked for again
 * together with what was missed, and is another one.
 *
 * <p>The listener is called from one thread and must not block for long: what comes meanwhile waits
 * in the socket, up to its high-water mark, and is a gap beyond it.
 */
public final class KvEventFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvEventFeed.class);

  /** How often the thread looks whether it is to end, in milliseconds. */
  private static final int POLL = 100;

  private static final long END = -1;

  /**
   * How long a handshake may take before the connection is made anew, in milliseconds. The library
   * loses one in some dozens on the connecting side (jeromq issue 1022) and notices it only then.
   */
  private static final int HANDSHAKE = 250;

  /**
   * Where an engine publishes.
   *
   * @param events such as {@code tcp://host:5557}
   * @param replay such as {@code tcp://host:5558}; empty where it keeps nothing
   * @param topic of its messages; what begins otherwise is of others
   */
  public record Settings(URI events, Optional<URI> replay, String topic) {}

  /** Messages that may wait to be handled. */
  private static final int HIGH_WATER = 100_000;

  /** How long an engine may take for each message that it sends again. */
  private static final Duration REPLAY_TIMEOUT = Duration.ofSeconds(2);

  private final String replica;
  private final Settings settings;
  private final Consumer<List<KvEvent>> listener;
  private final ZContext context = new ZContext(1);
  private final Thread thread;
  private final KvEvents.FullGroup group = new KvEvents.FullGroup();
  private volatile boolean closed;
  private volatile boolean restarted;
  private long next = -1;

  /** The batch before the next one; empty at the beginning, and where it is not known. */
  private byte[] last = {};

  private KvEventFeed(String replica, Settings settings, Consumer<List<KvEvent>> listener) {
    this.replica = replica;
    this.settings = settings;
    this.listener = listener;
    context.setLinger(0);
    this.thread = Thread.ofPlatform().daemon().name("kv-events-" + replica).unstarted(this::run);
  }

  /**
   * Begins to follow.
   *
   * @param replica its name, for the log
   * @param listener gets the events of one batch after the other
   */
  public static KvEventFeed follow(
      String replica, Settings settings, Consumer<List<KvEvent>> listener) {
    KvEventFeed feed = new KvEventFeed(replica, settings, listener);
    feed.thread.start();
    return feed;
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join(Duration.ofSeconds(2).plus(REPLAY_TIMEOUT));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The engine has begun a new life: what its life before said of the cache is void. */
  void restarted() {
    restarted = true;
  }

  private void run() {
    try (context;
        ZMQ.Socket events = context.createSocket(SocketType.SUB)) {
      events.setRcvHWM(HIGH_WATER);
      events.setReceiveTimeOut(POLL);
      events.setHandshakeIvl(HANDSHAKE);
      events.connect(settings.events().toString());
      events.subscribe(settings.topic());
      while (!closed) {
        ZMsg message = ZMsg.recvMsg(events);
        if (restarted) {
          restarted = false;
          begunAnew();
        }
        if (message != null) {
          handle(message);
        }
      }
    } catch (RuntimeException broken) {
      if (!closed) {
        LOG.warn("the KV events of {} are not followed any more", replica, broken);
        tell(List.of(new KvEvent.Missed()));
      }
    }
  }

  private void handle(ZMsg message) {
    if (message.size() != 3) {
      LOG.debug("replica {} sent a message of {} parts", replica, message.size());
      return;
    }
    message.pop();
    byte[] number = message.pop().getData();
    if (number.length != Long.BYTES) {
      LOG.debug("replica {} sent a message without a number", replica);
      return;
    }
    long sequence = ByteBuffer.wrap(number).getLong();
    byte[] batch = message.pop().getData();
    if (sequence < next) {
      begunAnew();
    }
    if (next < 0 && sequence == 0) {
      next = 0;
    }
    if (next < 0 || sequence > next) {
      replay(sequence);
    }
    if (sequence >= next) {
      tell(sequence, batch);
    }
  }

  /** A new life of the engine: what it held before is not there any more. */
  private void begunAnew() {
    tell(List.of(new KvEvent.Cleared()));
    next = 0;
    last = new byte[0];
  }

  /** Asks for what was missed, up to the message that has just come. */
  private void replay(long upTo) {
    long wanted = Math.max(0, next);
    boolean whole = settings.replay().isPresent() && replayed(upTo);
    if (!whole) {
      if (next >= 0) {
        LOG.info("replica {} has lost events {} to {}", replica, wanted, upTo - 1);
      }
      tell(List.of(new KvEvent.Missed()));
      next = upTo;
      last = new byte[0];
    }
  }

  /** Whether all of them came, after the one that is known. */
  private boolean replayed(long upTo) {
    long from = Math.max(0, last.length == 0 ? next : next - 1);
    // The answer to one request is many messages, which a REQ socket would not take.
    try (ZMQ.Socket replay = context.createSocket(SocketType.DEALER)) {
      replay.setReceiveTimeOut((int) REPLAY_TIMEOUT.toMillis());
      replay.setSendTimeOut((int) REPLAY_TIMEOUT.toMillis());
      replay.setHandshakeIvl(HANDSHAKE);
      replay.connect(settings.replay().orElseThrow().toString());
      ZMsg request = new ZMsg();
      request.add(new byte[0]);
      request.add(ByteBuffer.allocate(Long.BYTES).putLong(from).array());
      request.send(replay);
      long expected = from;
      while (!closed) {
        ZMsg answer = ZMsg.recvMsg(replay);
        // An empty frame, the topic (from vLLM 0.32 on), the number, the batch.
        if (answer == null || answer.size() < 3 || answer.size() > 4) {
          return false;
        }
        while (answer.size() > 2) {
          answer.pop();
        }
        byte[] number = answer.pop().getData();
        long sequence = number.length == Long.BYTES ? ByteBuffer.wrap(number).getLong() : END;
        if (sequence == END || sequence >= upTo) {
          return expected == upTo;
        }
        if (sequence != expected) {
          return false;
        }
        byte[] batch = answer.pop().getData();
        if (sequence >= next) {
          tell(sequence, batch);
        } else if (!Arrays.equals(batch, last)) {
          begunAnew();
          return replayed(upTo);
        }
        expected = sequence + 1;
      }
      return false;
    }
  }

  private void tell(long sequence, byte[] batch) {
    next = sequence + 1;
    last = batch;
    try {
      tell(KvEvents.read(batch, group));
    } catch (IOException unreadable) {
      LOG.warn("replica {} sent events that cannot be read: {}", replica, unreadable.getMessage());
      tell(List.of(new KvEvent.Missed()));
    }
  }

  private void tell(List<KvEvent> events) {
    if (events.isEmpty()) {
      return;
    }
    try {
      listener.accept(events);
    } catch (RuntimeException failure) {
      LOG.error("events of replica {} were not taken", replica, failure);
    }
  }
}
