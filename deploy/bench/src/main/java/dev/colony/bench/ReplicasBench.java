package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ReplicaSource;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Plays the turns of agents at model servers that run already. Each play has words of its own, so
 * that none profits from what the one before has left in the caches.
 */
@Command(
    name = "replicas",
    description = {
      "Agents' turns at model servers that run already: through the gateway, to the servers in turn"
          + " and through routers of others, one after the other. Tokens found in caches are those"
          + " that the servers count, as vLLM does.",
    })
final class ReplicasBench extends Bench {

  private static final Duration DEADLINE = Duration.ofMinutes(10);

  /** Enough for the first token and a few more: what differs is how soon it comes. */
  private static final int REPLY_TOKENS = 16;

  private static final String COLONY = "colony";
  private static final String LEASES = "colony_leases";
  private static final String IN_TURN = "in_turn";

  private static final String WIDE =
      """
      colony.inference {
        gateway.max-concurrent-per-replica = 256
        admission { max-waiting = 65536, usual.max-waiting = 65536 }
      }
      """;

  @Option(
      names = "--server",
      paramLabel = "URL",
      required = true,
      description = "A model server; two at least.")
  private List<URI> servers;

  @Option(
      names = "--router",
      paramLabel = "NAME=URL",
      description = "A router in front of the same servers; any number.")
  private Map<String, URI> routers = new LinkedHashMap<>();

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Turns that were recorded, as Mooncake's traces are; made up without it.")
  private Optional<Path> trace = Optional.empty();

  @Option(
      names = "--sessions",
      paramLabel = "N",
      defaultValue = "12",
      description = "Of agents (default: ${DEFAULT-VALUE}).")
  private int sessions;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of each session at the most (default: ${DEFAULT-VALUE}).")
  private int turns;

  @Option(
      names = "--block-words",
      paramLabel = "N",
      defaultValue = "32",
      description = "Words that stand for a block of a prompt (default: ${DEFAULT-VALUE}).")
  private int blockWords;

  @Option(
      names = "--pace",
      paramLabel = "X",
      defaultValue = "10",
      description = "By how much pauses are shorter than of tools (default: ${DEFAULT-VALUE}).")
  private double pace;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "2",
      description = "In which all ways have their turn (default: ${DEFAULT-VALUE}).")
  private int rounds;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final JsonMapper json = JsonMapper.builder().build();
  private final AtomicInteger next = new AtomicInteger();

  /** Of a block of a trace, by the servers' count. */
  private volatile double blockTokens = 1;

  @Override
  protected void check() {
    if (servers.size() < 2) {
      throw CommandFailure.badInput("--server is given once: give two or more");
    }
    check("--sessions", sessions, 1, 10_000);
    check("--turns", turns, 1, AgentTrace.MOST_TURNS);
    check("--block-words", blockWords, 1, 4096);
    check("--pace", pace, 0.1, 1_000_000);
    check("--rounds", rounds, 1, 100);
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) throws IOException {
    Files.createDirectories(directory);
    AgentTrace played =
        trace.isPresent()
            ? AgentTrace.read(trace.get(), sessions, turns, pace)
            : AgentTrace.made(sessions, turns, pace, 1);
    Config wide = ConfigFactory.parseString(WIDE).withFallback(config());
    try (http;
        ReplicaMonitor monitor =
            ReplicaMonitor.start("", ReplicaSettings.fromConfig(wide), ReplicaSource.of(servers));
        HttpInferenceGateway gateway =
            new HttpInferenceGateway(
                GatewaySettings.fromConfig(wide),
                ModelCatalog.fromConfig(wide),
                RoutingSettings.fromConfig(wide),
                "bench",
                monitor,
                ResidencyView.NONE,
                CallObserver.NONE,
                BacklogExchange.NONE)) {
      gateway.keepPrompts();
      monitor.listen(gateway.replicaListener());
      Map<String, Play.Way> ways = new LinkedHashMap<>();
      ways.put(COLONY, (turn, first) -> ask(gateway, turn, Optional.empty(), first));
      Map<String, Long> caches = caches(monitor.replicas());
      if (caches.size() == servers.size()) {
        ways.put(
            LEASES,
            new LeasedWay(
                caches,
                () -> blockTokens,
                (turn, replica, first) -> ask(gateway, turn, Optional.of(replica), first)));
      }
      String model = model();
      ways.put(
          IN_TURN,
          (turn, first) -> {
            int server = Math.floorMod(next.getAndIncrement(), servers.size());
            stream(servers.get(server), model, turn, first);
          });
      routers.forEach(
          (name, url) -> ways.put(name, (turn, first) -> stream(url, model, turn, first)));
      long tokens =
          caches.size() < servers.size()
              ? Integer.MAX_VALUE
              : caches.values().stream().mapToLong(Long::longValue).sum();
      return rounds(ways, played, tokens, progress);
    }
  }

  private static void ask(
      HttpInferenceGateway gateway, Play.Asked turn, Optional<String> replica, Runnable first)
      throws InterruptedException, ExecutionException {
    InferenceRequest call =
        InferenceRequest.of(
            turn.id(),
            Prompt.of(SYSTEM, List.of(), turn.text()),
            ReplyForm.text(REPLY_TOKENS).cutAllowed(),
            CallContext.within(DEADLINE).session(Optional.of(turn.session())).replica(replica));
    gateway
        .complete(
            call,
            part -> {
              if (!(part instanceof InferenceDelta.Asked)) {
                first.run();
              }
            })
        .get();
  }

  /**
   * @param tokens that all caches hold
   */
  private ObjectNode rounds(
      Map<String, Play.Way> ways, AgentTrace played, long tokens, Progress progress)
      throws IOException {
    for (Map.Entry<String, Play.Way> way : ways.entrySet()) {
      progress.note("warming up, " + way.getKey());
      AgentTrace warm = AgentTrace.made(2, 2, 1e6, 1);
      Play warmed = play();
      warmed.run(way.getValue(), warm, "warm-up-" + System.nanoTime());
      blockTokens = Math.max(1, (double) warmed.promptTokens() / warm.blocks());
    }
    Map<String, Play> plays = new LinkedHashMap<>();
    List<String> order = new ArrayList<>(ways.keySet());
    for (int round = 0; round < rounds; round++) {
      for (String name : order) {
        progress.note("round %d of %d, %s".formatted(round + 1, rounds, name));
        plays
            .computeIfAbsent(name, any -> play())
            .run(ways.get(name), played, name + "-" + round + "-" + System.nanoTime());
      }
      Collections.rotate(order, 1);
    }
    long asked = plays.get(COLONY).promptTokens() / rounds;
    double mostHits = played.mostHits(Math.max(1, tokens * played.blocks() / Math.max(1, asked)));
    ObjectNode found =
        Report.object()
            .put("servers", servers.size())
            .put("turns", played.turns().size())
            .put("mostHitsWithRoom", Report.rounded(played.mostHits(Long.MAX_VALUE)))
            .put("mostHits", Report.rounded(mostHits));
    ways.keySet()
        .forEach(
            name -> plays.get(name).addTo(found.withArray("/ways").addObject(), name, mostHits));
    return found.put(WHOLE, plays.values().stream().allMatch(Play::whole));
  }

  private Play play() {
    return new Play(servers, this::metrics, blockWords);
  }

  private String metrics(URI server) throws IOException {
    return get(server.resolve("/metrics"));
  }

  @Override
  protected String broken() {
    return "calls have failed";
  }

  /** Tokens of those caches that say how large they are. */
  private Map<String, Long> caches(Collection<Replica> replicas) throws IOException {
    Map<String, Long> tokens = new LinkedHashMap<>();
    for (Replica one : replicas) {
      EngineLoad.parse(metrics(one.baseUri()))
          .map(EngineLoad::cacheTokens)
          .filter(OptionalLong::isPresent)
          .ifPresent(its -> tokens.put(one.id(), its.getAsLong()));
    }
    return tokens;
  }

  private static final String SYSTEM = "You answer in a few words.";

  /** As any client of OpenAI's protocol asks, with the session that some routers go by. */
  private void stream(URI base, String model, Play.Asked turn, Runnable first)
      throws IOException, InterruptedException {
    ObjectNode body = Report.object().put("model", model).put("stream", true).put("temperature", 0);
    body.put("max_tokens", REPLY_TOKENS);
    body.withArray("/messages").addObject().put("role", "system").put("content", SYSTEM);
    body.withArray("/messages").addObject().put("role", "user").put("content", turn.text());
    HttpResponse<Stream<String>> reply =
        http.send(
            HttpRequest.newBuilder(base.resolve("/v1/chat/completions"))
                .header("Content-Type", "application/json")
                .header("X-Session-ID", turn.session())
                .timeout(DEADLINE)
                .POST(BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofLines());
    try (Stream<String> lines = reply.body()) {
      if (reply.statusCode() != 200) {
        throw new IOException(base + " answered " + reply.statusCode());
      }
      for (Iterator<String> line = lines.iterator(); line.hasNext(); ) {
        String one = line.next();
        if (one.startsWith("data: {") && begins(json.readTree(one.substring("data: ".length())))) {
          first.run();
        }
      }
    }
  }

  private static boolean begins(JsonNode part) {
    return !part.at("/choices/0/delta/content").asText("").isEmpty();
  }

  private String model() throws IOException {
    return json.readTree(get(servers.getFirst().resolve("/v1/models"))).at("/data/0/id").asText();
  }

  private String get(URI uri) throws IOException {
    try {
      return http.send(
              HttpRequest.newBuilder(uri).timeout(DEADLINE).build(), BodyHandlers.ofString())
          .body();
    } catch (IOException gone) {
      throw CommandFailure.badInput("%s does not answer: %s".formatted(uri, gone));
    } catch (InterruptedException interrupted) {
      throw ClosedLoop.interrupted(interrupted);
    }
  }
}
