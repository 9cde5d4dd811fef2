package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
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
import dev.colony.node.Started;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Asks the embedded replica of one node directly, by the gateway's port and over the node's API,
 * all in one run and one JVM, so that what is added is the gateway's. What is measured is warmed up
 * with as many calls. The replica takes no time.
 */
@Command(
    name = "gateway",
    description = {
      "What the inference gateway adds to calls of the embedded replica, by its port and over the "
          + "API of a node, beside the same replica asked directly.",
    })
final class GatewayBench extends Bench {

  private static final Duration DEADLINE = Duration.ofMinutes(2);

  /** The ways are measured in turns, so that other work of the machine meets all of them. */
  private static final int TURNS = 4;

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
          max-running = %1$d, max-waiting = 65536, time.factor = 0
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

  @Override
  protected void check() {
    check("--clients", clients, 1, 10_000);
    check("--ops", ops, 1, 10_000_000);
    check("--rate", rate, 1, 100_000);
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    ObjectNode found = Report.object().put("clients", clients).put("ops", ops).put("rate", rate);
    try (Started started = new Started()) {
      ways(
          redis(started, ServerSettings.fromConfig(config(), directory.resolve("redis"))),
          progress,
          found.putArray(Rounds.FIELD));
    }
    return found;
  }

  private void ways(RedisServerProcess redis, Progress progress, ArrayNode rows) {
    Config wide = wide();
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
        ObjectNode row = rows.addObject();
        ways.forEach(way -> way.addTo(row, some, ways.getFirst()));
      }
    }
  }

  /** One way to ask, and what it took in the last turn. */
  private static final class Way {
    private final String name;
    private final OpenLoop.Call call;
    private Latencies latencies;
    private double seconds;

    Way(String name, OpenLoop.Call call) {
      this.name = name;
      this.call = call;
    }

    void measure(int perSecond, int clients, int ops) {
      Latencies turn = new Latencies();
      new OpenLoop(perSecond)
          .run(
              0,
              ops,
              (number, due) ->
                  call.make(number, due).whenComplete((reply, failure) -> turn.since(due)));
      latencies = turn;
      seconds = closed(clients, ops);
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

  private Config wide() {
    return ConfigFactory.parseString(WIDE.formatted(Math.max(64, clients))).withFallback(config());
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

  /** Asks for chat completions as any client does, the same of a replica and of a node. */
  static final class OpenAiClient implements AutoCloseable {

    private static final String BODY =
        """
        {"model": "colony-lexical-1", "max_tokens": 16, "temperature": 0,
         "messages": [{"role": "system", "content": "You answer questions about ships."},
                      {"role": "user", "content": "What is the bow of a ship? (%d)"}]}
        """;

    private final HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A whole reply; fails where its status is another than 200. */
    CompletionStage<?> complete(URI base, int number) {
      return http.sendAsync(request(base, number), BodyHandlers.ofByteArray())
          .thenAccept(reply -> {
            if (reply.statusCode() != 200) {
              throw new IllegalStateException(
                  base + " answered " + new String(reply.body(), StandardCharsets.UTF_8));
            }
          });
    }

    private static HttpRequest request(URI base, int number) {
      return HttpRequest.newBuilder(base.resolve("/v1/chat/completions"))
          .header("Content-Type", "application/json")
          .POST(BodyPublishers.ofString(BODY.formatted(number)))
          .build();
    }

    @Override
    public void close() {
      http.shutdownNow();
    }
  }
}
