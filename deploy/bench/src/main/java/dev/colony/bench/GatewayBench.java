package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.bench.OpenAiClient.Streamed;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Asks the embedded replica of one node directly, by the gateway's port and over the node's API,
 * all in one run and one JVM, so that what is added is the gateway's; then has many streams open at
 * once. What is measured is warmed up with as many calls.
 */
@Command(
    name = "gateway",
    mixinStandardHelpOptions = true,
    description = {
      "What the inference gateway adds to calls of the embedded replica, by its port and over the "
          + "API of a node, beside the same replica asked directly; and streams open at once.",
    })
final class GatewayBench extends Bench {

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
          max-running = %1$d, max-waiting = 65536, time.factor = %2$s
        }
      }
      """;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "16",
      description = "That each have one call under way (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--ops",
      paramLabel = "N",
      defaultValue = "4000",
      description =
          "Calls by each way, at the rate and as fast as clients can (default: ${DEFAULT-VALUE}).")
  private int ops;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "Calls in a second where latency is measured (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--streams",
      paramLabel = "N",
      defaultValue = "2000",
      description =
          "Open at once over the API of the node; 0 for none (default: ${DEFAULT-VALUE}).")
  private int streams;

  @Option(
      names = "--replica-time",
      paramLabel = "FACTOR",
      defaultValue = "0",
      description =
          "On the times that the replica models of an accelerator, as calls are answered; 0 takes "
              + "no time (default: ${DEFAULT-VALUE}).")
  private double replicaTime;

  @Override
  protected void check() {
    check("--clients", clients, 1, 10_000);
    check("--ops", ops, 1, 10_000_000);
    check("--rate", rate, 1, 100_000);
    check("--streams", streams, 0, 20_000);
    check("--replica-time", replicaTime, 0, 1_000);
  }

  @Override
  protected String broken() {
    return "streams did not come to their end";
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    ObjectNode found =
        Report.object()
            .put("clients", clients)
            .put("ops", ops)
            .put("rate", rate)
            .put("streams", streams)
            .put("replicaTime", replicaTime);
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config(), directory.resolve("redis")));
    try {
      ways(redis, progress, found);
      if (streams > 0) {
        streams(redis, progress, found);
      }
      return found;
    } finally {
      redis.stop();
    }
  }

  private void ways(RedisServerProcess redis, Progress progress, ObjectNode found) {
    Config wide = wide(Math.max(64, clients), replicaTime);
    try (Node node = node(redis, wide);
        HttpInferenceGateway gateway = gateway(wide, URI.create(node.replica()));
        OpenAiClient client = new OpenAiClient()) {
      List<Way> ways =
          List.of(
              new Way(
                  "direct", (number, due) -> client.complete(URI.create(node.replica()), number)),
              new Way("port", (number, due) -> gateway.complete(request(number))),
              new Way("api", (number, due) -> client.complete(URI.create(node.api()), number)));
      for (Way way : ways) {
        progress.note("warming up");
        way.closed(clients, ops);
      }
      int inTurn = Math.ceilDiv(ops, TURNS);
      for (int first = 0; first < ops; first += inTurn) {
        int some = Math.min(inTurn, ops - first);
        progress.note("measuring, %,d of %,d calls by each way".formatted(first, ops));
        ways.forEach(way -> way.measure(rate, clients, some));
      }
      ways.forEach(way -> way.addTo(found, ops, ways.getFirst()));
    }
  }

  /** One way to ask, and what it has taken so far. */
  private static final class Way {
    private final String name;
    private final OpenLoop.Call call;
    private final Latencies latencies = new Latencies();
    private double seconds;

    Way(String name, OpenLoop.Call call) {
      this.name = name;
      this.call = call;
    }

    void measure(int perSecond, int clients, int ops) {
      new OpenLoop(perSecond)
          .run(
              0,
              ops,
              (number, due) ->
                  call.make(number, due).whenComplete((reply, failure) -> latencies.since(due)));
      seconds += closed(clients, ops);
    }

    /** Calls by clients that each have one under way; how long all of them took, in seconds. */
    double closed(int clients, int ops) {
      return new ClosedLoop(clients)
          .run(0, ops, (client, number) -> call.make(number, System.nanoTime()));
    }

    void addTo(ObjectNode json, int ops, Way direct) {
      latencies.addTo(json, name).put(name + "PerSecond", Math.round(ops / seconds));
      if (this != direct) {
        json.put(
                name + "AddedP50Millis",
                Report.rounded(latencies.millis(50) - direct.latencies.millis(50)))
            .put(
                name + "AddedP99Millis",
                Report.rounded(latencies.millis(99) - direct.latencies.millis(99)))
            .put(name + "Ratio", Report.rounded(direct.seconds / seconds));
      }
    }
  }

  /**
   * Streams over the API of a node; bytes are of the process that holds clients, node and replica.
   */
  private void streams(RedisServerProcess redis, Progress progress, ObjectNode found) {
    try (Node node = node(redis, wide(streams, STREAM_TIME));
        OpenAiClient client = new OpenAiClient()) {
      URI api = URI.create(node.api());
      ClosedLoop.await(client.complete(api, 0).toCompletableFuture(), "the first call");
      progress.note("opening " + streams + " streams");
      final long before = ProcessMemory.heapBytes();
      List<Streamed> all =
          IntStream.range(0, streams)
              .mapToObj(number -> client.stream(api, STREAMED_TOKENS, number))
              .toList();
      ClosedLoop.await(all(all.stream().map(Streamed::begun)), "the streams");
      final long open = ProcessMemory.heapBytes();
      final long resident = ProcessMemory.residentBytes().orElse(0);
      long still = all.stream().filter(one -> !one.ended().isDone()).count();
      progress.note(still + " streams are open");
      ClosedLoop.await(all(all.stream().map(Streamed::ended)), "the streams");
      List<Throwable> failures =
          all.stream()
              .filter(one -> one.ended().isCompletedExceptionally())
              .map(one -> one.ended().exceptionNow())
              .toList();
      failures.stream().findFirst().ifPresent(first -> progress.note("a stream failed: " + first));
      found
          .put("streamsOpen", still)
          .put("streamsEnded", streams - failures.size())
          .put("heapBeforeBytes", before)
          .put("heapOpenBytes", open)
          .put("heapAfterBytes", ProcessMemory.heapBytes())
          .put("heapBytesPerStream", still == 0 ? 0 : (open - before) / still)
          .put("residentBytes", resident)
          .put(WHOLE, failures.isEmpty());
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
    return ConfigFactory.parseString(WIDE.formatted(atOnce, time)).withFallback(config());
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
