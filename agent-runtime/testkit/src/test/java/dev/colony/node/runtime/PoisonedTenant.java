package dev.colony.node.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.client.ColonyClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A tenant whose agents do not take what they are sent, and its client, which is a process of its
 * own: what it costs to send requests is not taken from the node that is measured.
 */
final class PoisonedTenant implements AutoCloseable {

  /** How many requests the client may have sent that are not stored yet. */
  private static final int IN_FLIGHT = 64;

  private static final String NAME = "poison";
  private static final String ASKED = "asked ";
  private static final RunOptions OPTIONS = RunOptions.namespace("test");

  /** Why an agent does not take what it is sent. */
  enum Ailment {
    /** Its journal takes nothing, so that it never answers. */
    SILENT(15, TestTypes.BLUEPRINT),
    /** It cannot be recovered. */
    UNREADABLE(60, TestTypes.BLUEPRINT),
    /** No node knows what it is made of. */
    UNKNOWN_TYPE(120, AgentBlueprint.of(Blueprint.of("test.of-another-program"))),
    /** Its first run does not end, and it has as many as it may. */
    FULL(118, TestTypes.BLUEPRINT);

    final int requests;
    final AgentBlueprint blueprint;

    Ailment(int requests, AgentBlueprint blueprint) {
      this.requests = requests;
      this.blueprint = blueprint;
    }

    /** That with this ailment whose requests stand in this bucket. */
    AgentId agent(int bucket, int buckets) {
      return inBucket(bucket, buckets, NAME, name());
    }
  }

  /** What the client asks of its agents. */
  record Asked(Ailment ailment, AgentId agent, RunId run) {}

  /** How many requests a client stored in how long. */
  record Sent(int requests, double seconds) {}

  private final Process client;
  private final BufferedReader lines;
  private final PrintWriter commands;

  /**
   * @param redisUri where the client finds the blackboard
   * @param rate how many requests the client sends in a second, as long as Redis stores them
   */
  PoisonedTenant(String redisUri, int rate) {
    try {
      client =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  PoisonedTenant.class.getName(),
                  redisUri,
                  "" + rate)
              .redirectErrorStream(true)
              .start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    lines = client.inputReader();
    commands = new PrintWriter(client.outputWriter(), true);
  }

  /** Has the client put in the requests of a round; returns when all are stored. */
  Sent send(int round) {
    commands.println(round);
    List<String> said = new ArrayList<>();
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(ASKED)) {
          String[] words = line.split(" ");
          return new Sent(Integer.parseInt(words[1]), Long.parseLong(words[2]) / 1e9);
        }
        said.add(line);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    throw new AssertionError("the client ended early and said:\n" + String.join("\n", said));
  }

  @Override
  public void close() {
    client.destroyForcibly();
  }

  /** The requests of a round, to agents in all buckets, in an order that only the round decides. */
  static List<Asked> requests(int round, int buckets) {
    List<Asked> all = new ArrayList<>();
    for (Ailment ailment : Ailment.values()) {
      for (int bucket = 0; bucket < buckets; bucket++) {
        AgentId agent = ailment.agent(bucket, buckets);
        for (int i = 0; i < ailment.requests; i++) {
          all.add(new Asked(ailment, agent, new RunId("r-" + round + "-" + i)));
        }
      }
    }
    Collections.shuffle(all, new Random(round));
    return all;
  }

  /** An agent of a tenant whose requests stand in this bucket. */
  static AgentId inBucket(int bucket, int buckets, String tenant, String name) {
    return IntStream.iterate(0, n -> n + 1)
        .mapToObj(n -> new AgentId(tenant, "tests", name + "-" + n))
        .filter(id -> InboxBucket.of(id.scope(), buckets) == bucket)
        .findFirst()
        .orElseThrow();
  }

  /**
   * The client. It reads rounds, one a line, from standard input, and says of each on standard
   * output how many requests it has stored in how many nanoseconds: {@code asked REQUESTS NANOS}.
   * Arguments: the URL of Redis, requests a second.
   */
  public static void main(String[] arguments) throws IOException {
    double nanosEach = 1e9 / Integer.parseInt(arguments[1]);
    BufferedReader rounds =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (ColonyClient client = ColonyClient.connect(arguments[0])) {
      int buckets = client.blackboards().inbox().buckets();
      for (String round = rounds.readLine(); round != null; round = rounds.readLine()) {
        List<Asked> all = requests(Integer.parseInt(round), buckets);
        Semaphore room = new Semaphore(IN_FLIGHT);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        JsonNode input = TestTypes.input(2, "internal");
        long begun = System.nanoTime();
        for (int i = 0; i < all.size(); i++) {
          Asked one = all.get(i);
          long at = begun + (long) (i * nanosEach);
          for (long wait = at - System.nanoTime(); wait > 0; wait = at - System.nanoTime()) {
            LockSupport.parkNanos(wait);
          }
          room.acquireUninterruptibly();
          client
              .colony()
              .agent(one.agent())
              .run(input, OPTIONS.runId(one.run()))
              .stored()
              .whenComplete((stored, failure) -> {
                if (failure != null) {
                  failures.add(failure);
                }
                room.release();
              });
        }
        room.acquireUninterruptibly(IN_FLIGHT);
        if (!failures.isEmpty()) {
          throw new IllegalStateException(
              failures.size() + " were not stored", failures.getFirst());
        }
        System.out.println(ASKED + all.size() + " " + (System.nanoTime() - begun));
      }
    }
  }

  /**
   * Keeps events in memory, but takes none from some agents of the tenant, and gives others none
   * back.
   */
  public static final class Journal extends AsyncWriteJournal {

    static final String CONFIG =
        """
        pekko.persistence.journal.plugin = test.poisoned
        test.poisoned {
          class = "%s"
          plugin-dispatcher = "pekko.actor.default-dispatcher"
          replay-filter.mode = off
          # What fails here is not the journal, which would fail for all agents at once.
          circuit-breaker { max-failures = 1000000000, call-timeout = 10s, reset-timeout = 1s }
        }
        """
            .formatted(Journal.class.getName());

    private final Map<String, NavigableMap<Long, PersistentRepr>> logs = new ConcurrentHashMap<>();

    private NavigableMap<Long, PersistentRepr> log(String agent) {
      return logs.computeIfAbsent(agent, any -> new ConcurrentSkipListMap<>());
    }

    private static void fail(String agent, Ailment ailment) {
      if (agent.startsWith(NAME + "/tests/" + ailment)) {
        throw new IllegalStateException("the disk is full");
      }
    }

    @Override
    public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(
        Iterable<AtomicWrite> writes) {
      for (AtomicWrite write : writes) {
        fail(write.persistenceId(), Ailment.SILENT);
        for (PersistentRepr event : CollectionConverters.asJava(write.payload())) {
          Object said =
              event.payload() instanceof Tagged tagged ? tagged.payload() : event.payload();
          log(event.persistenceId()).put(event.sequenceNr(), event.withPayload(said));
        }
      }
      return Future.successful(List.of());
    }

    @Override
    public Future<Void> doAsyncDeleteMessagesTo(String agent, long to) {
      log(agent).headMap(to, true).clear();
      return Future.successful(null);
    }

    @Override
    public Future<Void> doAsyncReplayMessages(
        String agent, long from, long to, long max, Consumer<PersistentRepr> replay) {
      log(agent).subMap(from, true, Math.max(from, to), true).values().stream()
          .limit(max)
          .forEach(replay);
      return Future.successful(null);
    }

    @Override
    public Future<Long> doAsyncReadHighestSequenceNr(String agent, long from) {
      fail(agent, Ailment.UNREADABLE);
      return Future.successful(log(agent).isEmpty() ? 0L : log(agent).lastKey());
    }
  }
}
