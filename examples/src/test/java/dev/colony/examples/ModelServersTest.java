package dev.colony.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.RunHandle.OnEach;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.terminal.Progress.LineProgress;
import dev.colony.client.ColonyClient;
import dev.colony.examples.review.Review;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceFixtures;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.provider.ScriptedServers;
import dev.colony.inference.provider.ScriptedServers.Server;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.research.Answer;
import dev.colony.library.research.Question;
import dev.colony.library.research.ResearchTypes;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A research run, a planning agent, the chat and the review example on a node that asks each of the
 * scripted servers, with the real client over HTTP: the answers are the same from all of them.
 */
class ModelServersTest {

  /** What it gives is a text: of a value of any type a model may write the JSON, or the text. */
  private static final AgentBlueprint DESK =
      AgentBlueprint.of(
              MinimalActionPolicy.class,
              PlannerArgs.NONE
                  .role("You help customers.")
                  .io(ActionPolicyIO.builder().output("order", String.class).build()))
          .capability(TestingGuideTest.DeskCapability.class);

  private static final String QUESTION = "Which class decides on which node a shard is placed?";
  private static final List<String> NAMES = List.of("Placement", "Journal", "Mailbox");

  @TempDir private static Path tree;
  @TempDir private static Path folder;
  private static final Asked ASKED = new Asked();
  private static final Map<String, Object> FIRST = new LinkedHashMap<>();

  /** Calls of all servers whose parts were followed from the first to the last. */
  private static final AtomicLong HEARD_WHOLE = new AtomicLong();

  private static RedisServerProcess redis;
  private static Node node;
  private static ColonyClient client;
  private static String map;

  /** The gateway of the node, which passes calls on to the server of the moment. */
  private static final class Asked implements InferenceGateway {

    private volatile InferenceGateway gateway;

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      return gateway.complete(request, parts);
    }

    @Override
    public void close() {
      // Each server's is closed with it.
    }
  }

  static List<Server> servers() {
    return ScriptedServers.all(new Reader());
  }

  @BeforeAll
  static void start() throws Exception {
    for (String name : NAMES) {
      Files.writeString(tree.resolve(name + ".java"), source(name));
    }
    Config config =
        ConfigFactory.parseString(
                "colony.vcm.grouping { page-size-tokens = 256, pages-per-group = 1 }")
            .withFallback(NodeConfig.base(Optional.empty()));
    redis = RedisServerProcess.ensure(ServerSettings.in(folder));
    node =
        Node.start(
            NodeOptions.alone(
                "node-1",
                InferenceFixtures.freePort(),
                redis.uri(),
                Optional.empty(),
                Optional.empty()),
            config,
            Optional.of(ASKED),
            StepListener.NONE);
    client = ColonyClient.connect(redis.uri(), config);
    MappingResult.Mapped mapped = new Mapper(config).map(tree, new LineProgress());
    new BlackboardPageStore(
            client.blackboards(), Node.PAGES_TENANT, "test", StoreSettings.fromConfig(config))
        .save(mapped.map(), mapped.pages());
    map = mapped.map().id();
  }

  private static String source(String name) {
    StringBuilder source = new StringBuilder("package demo;\n\n");
    source.append(
        name.equals("Placement")
            ? "/** Decides on which node a shard is placed. */\n"
            : "/** Keeps what was written, in its order. */\n");
    source.append("final class ").append(name).append(" {\n");
    for (int i = 0; i < 8; i++) {
      source.append("  int weight%d(int shard, int node) {\n".formatted(i));
      source.append("    return shard * %d + node;\n  }\n".formatted(i));
    }
    return source.append("}\n").toString();
  }

  @AfterAll
  static void stop() {
    client.close();
    node.close();
    redis.stop();
    // A run may be over before its parts can be followed, but not with every server.
    assertThat(HEARD_WHOLE.get()).as("calls whose whole answer was followed").isPositive();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void theAnswersAreTheSame(Server server) throws Exception {
    try (RecordingModelServer played = server.play();
        InferenceGateway gateway = gateway(URI.create(played.uri() + server.path()), server)) {
      ASKED.gateway = gateway;
      String row = server.name().replaceAll("[^A-Za-z0-9]+", "-");
      same("research", research("research-" + row));
      same("plan", plan("plan-" + row));
      same("chat", chat("chat-" + row));
      same("review", review("review-" + row));
    }
  }

  private static void same(String what, Object answer) {
    assertThat(answer).as(what).isEqualTo(FIRST.computeIfAbsent(what, first -> answer));
  }

  private static InferenceGateway gateway(URI uri, Server server) {
    Config config =
        ConfigFactory.parseString(String.join("\n", server.settings()))
            .atPath("colony.inference")
            .withFallback(ConfigFactory.load());
    Replica here = new Replica("scripted", uri, "test");
    return new HttpInferenceGateway(
        GatewaySettings.fromConfig(config),
        ModelCatalog.fromConfig(config),
        RoutingSettings.fromConfig(config),
        "test",
        ReplicaSet.of(() -> List.of(here)),
        ResidencyView.NONE,
        CallObserver.NONE,
        BacklogExchange.NONE);
  }

  private static AgentId id(String agent) {
    return new AgentId("local", "examples", agent);
  }

  private static AgentHandle spawned(String agent, AgentBlueprint blueprint) {
    return client.colony().spawn(id(agent), blueprint).join();
  }

  /** The answer and what it cites, which is what the page says; with the parts as they came. */
  private static List<String> research(String agent) throws Exception {
    RunHandle run =
        spawned(agent, ResearchTypes.coordinator())
            .run(new Question(QUESTION, map), RunOptions.namespace("research"));
    List<ReplyPart> parts = new CopyOnWriteArrayList<>();
    var followed = OnEach.of(run.parts(), parts::add);
    AgentRun ended = run.result().get(60, TimeUnit.SECONDS);
    assertThat(ended.error()).isEmpty();
    followed.get(60, TimeUnit.SECONDS);
    whole(parts);

    Answer answer = Answer.fromJson(ended.output());
    assertThat(answer.unread()).as("%s", answer.reasons()).isEmpty();
    assertThat(answer.citations()).isNotEmpty();
    assertThat(answer.citations().getFirst().file()).isEqualTo("Placement.java");
    assertThat(answer.citations().getFirst().text()).contains("on which node a shard is placed");
    String cited =
        answer.citations().stream()
            .map(one -> one.file() + ":" + one.firstLine() + ": " + one.text())
            .collect(Collectors.joining("\n"));
    return List.of(answer.answer(), cited);
  }

  /** Of each attempt whose beginning was heard, all parts came, each once. */
  private static void whole(List<ReplyPart> parts) {
    Map<List<Object>, List<ReplyPart>> attempts =
        parts.stream()
            .collect(
                Collectors.groupingBy(
                    part -> List.of(part.call(), part.asked()),
                    LinkedHashMap::new,
                    Collectors.toList()));
    for (List<ReplyPart> attempt : attempts.values()) {
      if (attempt.getFirst().kind() != ReplyPart.Kind.ASKED) {
        continue;
      }
      long text = 0;
      long reasoning = 0;
      for (ReplyPart part : attempt) {
        assertThat(part.json()).isTrue();
        switch (part.kind()) {
          case ASKED -> {}
          case REASONING -> {
            assertThat(part.index()).isEqualTo(reasoning);
            reasoning += part.text().length();
          }
          case TEXT -> {
            assertThat(part.index()).isEqualTo(text);
            text += part.text().length();
          }
          case ENDED -> {
            assertThat(part.index()).isEqualTo(text);
            HEARD_WHOLE.addAndGet(text > 0 ? 1 : 0);
          }
        }
      }
    }
  }

  private static String plan(String agent) throws Exception {
    AgentRun run =
        spawned(agent, DESK)
            .run(
                Map.of("goals", "Say what the customer has ordered; customer: Ann"),
                RunOptions.namespace("ask"))
            .result()
            .get(60, TimeUnit.SECONDS);
    assertThat(run.error()).isEmpty();
    assertThat(run.stats().steps()).as("an action and the end").isEqualTo(2);
    assertThat(run.output().toString()).contains("a lamp for Ann");
    return run.output().toString();
  }

  /** What it has published, once that was approved, and the tree of its plan. */
  private static List<String> review(String agent) throws Exception {
    Review review = new Review(client.colony(), id(agent), tree, "");
    AgentRun run = review.run(new LinkedBlockingQueue<>(List.of("y")), line -> {});
    assertThat(run.error()).isEmpty();
    assertThat(run.output().path("files").asInt()).isEqualTo(NAMES.size());
    List<String> shown = new ArrayList<>(review.plan());
    shown.add(run.output().toString());
    return shown;
  }

  private static List<String> chat(String agent) throws Exception {
    try (Chat chat = new Chat(client.blackboards(), client.colony(), id(agent))) {
      String first = chat.say("What is a bridge?");
      assertThat(first).isNotBlank().doesNotStartWith("(");
      return List.of(first, chat.say("And what is a ferry?"));
    }
  }
}
