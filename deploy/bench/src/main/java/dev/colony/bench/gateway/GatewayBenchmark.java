package dev.colony.bench.gateway;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.bench.ProcessMemory;
import dev.colony.bench.gateway.OpenAiClient.Streamed;
import dev.colony.bench.load.ClosedLoop;
import dev.colony.bench.load.LatencyFigures;
import dev.colony.bench.load.OpenLoop;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.catalog.ModelCatalog;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.routing.BacklogExchange;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.ResidencyView;
import dev.colony.inference.routing.RoutingSettings;
import dev.colony.server.node.Joining;
import dev.colony.server.node.Listening;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Asks the embedded replica of one node directly, by the gateway's port and over the node's API,
 * all in one run and one JVM, so that what is added is the gateway's; then has many streams open at
 * once. What is measured is warmed up with as many calls.
 */
public final class GatewayBenchmark {

  private static final Duration DEADLINE = Duration.ofMinutes(2);

  /** The ways are measured in turns, so that other work of the machine meets all of them. */
  private static final int TURNS = 4;

  /** On the replica's times for streams, so that the first one lasts until the last has begun. */
  private static final double STREAM_TIME = 4;

  /** Of a reply that a stream brings. */
  private static final int STREAMED_TOKENS = 32;

  /** Limits that are no part of what is measured. */
  private static final String WIDE =
      """
      colony.http {
        rate { per-second = 1000000, burst = 1000000 }
        connections = 65536, connections-per-address = 65536
        openai.per-key = 65536
      }
      colony.inference {
        gateway.max-concurrent-per-replica = %1$d
        admission { max-waiting = 65536, usual.max-waiting = 65536 }
        embedded {
          max-running = %1$d, max-waiting = 65536, max-batched-tokens = 65536, time.factor = %2$s
        }
      }
      """;

  private final Path directory;
  private final Config config;
  private final Progress progress;

  /**
   * @param directory for Redis, which does not exist
   */
  public GatewayBenchmark(Path directory, Config config, Progress progress) {
    this.directory = directory;
    this.config = config;
    this.progress = progress;
  }

  /** Runs it. */
  public GatewayReport run(GatewayLoad load) {
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, directory.resolve("redis")));
    try {
      List<GatewayReport.Way> ways = ways(load, redis);
      Optional<GatewayReport.Streams> streams =
          load.streams() == 0 ? Optional.empty() : Optional.of(streams(load.streams(), redis));
      return new GatewayReport(load, ways.get(0), ways.get(1), ways.get(2), streams);
    } finally {
      redis.stop();
    }
  }

  private List<GatewayReport.Way> ways(GatewayLoad load, RedisServerProcess redis) {
    Config wide = wide(Math.max(64, load.clients()), load.replicaTime());
    try (Node node = node(redis, wide);
        HttpInferenceGateway gateway = gateway(wide, URI.create(node.replica()));
        OpenAiClient client = new OpenAiClient()) {
      List<OpenLoop.Call> calls =
          List.of(
              (number, due) -> client.complete(URI.create(node.replica()), number),
              (number, due) -> gateway.complete(request(number)),
              (number, due) -> client.complete(URI.create(node.api()), number));
      for (OpenLoop.Call call : calls) {
        progress.note("warming up");
        closed(load.clients(), call, load.ops());
      }
      List<Measured> measured = calls.stream().map(Measured::new).toList();
      int inTurn = Math.ceilDiv(load.ops(), TURNS);
      for (int first = 0; first < load.ops(); first += inTurn) {
        int ops = Math.min(inTurn, load.ops() - first);
        progress.note("measuring, %,d of %,d calls by each way".formatted(first, load.ops()));
        measured.forEach(way -> way.measure(load, ops));
      }
      return measured.stream().map(way -> way.figures(load.ops())).toList();
    }
  }

  /** What one way to ask has taken so far. */
  private static final class Measured {
    private final OpenLoop.Call call;
    private final ConcurrentHistogram latencies = LatencyFigures.histogram();
    private double seconds;

    Measured(OpenLoop.Call call) {
      this.call = call;
    }

    void measure(GatewayLoad load, int ops) {
      new OpenLoop(load.perSecond())
          .run(
              0,
              ops,
              (number, due) ->
                  call.make(number, due)
                      .whenComplete((reply, failure) ->
                          LatencyFigures.record(latencies, System.nanoTime() - due)));
      seconds += closed(load.clients(), call, ops);
    }

    GatewayReport.Way figures(int ops) {
      return new GatewayReport.Way(LatencyFigures.of(latencies), ops / seconds);
    }
  }

  /** Calls by clients that each have one under way; how long all of them took, in seconds. */
  private static double closed(int clients, OpenLoop.Call call, int ops) {
    return new ClosedLoop(clients)
        .run(0, ops, (client, number) -> call.make(number, System.nanoTime()));
  }

  private GatewayReport.Streams streams(int count, RedisServerProcess redis) {
    try (Node node = node(redis, wide(count, STREAM_TIME));
        OpenAiClient client = new OpenAiClient()) {
      URI api = URI.create(node.api());
      ClosedLoop.await(client.complete(api, 0).toCompletableFuture(), "the first call");
      progress.note("opening " + count + " streams");
      final long before = ProcessMemory.heapBytes();
      List<Streamed> streams =
          IntStream.range(0, count)
              .mapToObj(number -> client.stream(api, STREAMED_TOKENS, number))
              .toList();
      ClosedLoop.await(all(streams.stream().map(Streamed::begun)), "the streams");
      final long open = ProcessMemory.heapBytes();
      final long resident = ProcessMemory.residentBytes().orElse(0);
      int openStill = (int) streams.stream().filter(one -> !one.ended().isDone()).count();
      progress.note(openStill + " streams are open");
      ClosedLoop.await(all(streams.stream().map(Streamed::ended)), "the streams");
      List<Throwable> failures =
          streams.stream()
              .filter(one -> one.ended().isCompletedExceptionally())
              .map(one -> one.ended().exceptionNow())
              .toList();
      failures.stream().findFirst().ifPresent(first -> progress.note("a stream failed: " + first));
      int whole = count - failures.size();
      return new GatewayReport.Streams(
          openStill, whole, before, open, ProcessMemory.heapBytes(), resident);
    }
  }

  /** Completes when each has, also with a failure. */
  private static CompletableFuture<Void> all(Stream<CompletableFuture<Void>> parts) {
    return CompletableFuture.allOf(
        parts.map(part -> part.handle((done, failure) -> done)).toArray(CompletableFuture[]::new));
  }

  private static InferenceRequest request(int number) {
    return InferenceRequest.of(
        "bench-" + number,
        Prompt.of(
            "You answer questions about ships.",
            List.of(),
            "What is the bow of a ship? (%d)".formatted(number)),
        ReplyForm.text(16),
        CallContext.within(DEADLINE));
  }

  private Config wide(int atOnce, double time) {
    return ConfigFactory.parseString(WIDE.formatted(atOnce, time)).withFallback(config);
  }

  private static HttpInferenceGateway gateway(Config config, URI replica) {
    Replica one = new Replica("bench", replica, "bench");
    return new HttpInferenceGateway(
        GatewaySettings.fromConfig(config),
        ModelCatalog.fromConfig(config),
        RoutingSettings.fromConfig(config),
        "bench",
        ReplicaSet.of(() -> List.of(one)),
        ResidencyView.NONE,
        CallObserver.NONE,
        BacklogExchange.NONE);
  }

  private static Node node(RedisServerProcess redis, Config config) {
    int port = LoopbackPorts.free(1).getFirst();
    return Node.start(
        new NodeOptions(
            "bench-" + port,
            Listening.at("127.0.0.1", port),
            new Joining.Alone(),
            1,
            OptionalInt.of(0),
            redis.uri(),
            Optional.empty(),
            Optional.empty()),
        config);
  }
}
