package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.client.ColonyClient;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.node.Started;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No agent is entered, forked or changed over HTTP that could never work. */
class AgentTrialTest {

  private static final String COLONY = "/v1/tenants/acme/colonies/billing";
  private static final String MINIMAL = "'policy': {'type': 'colony.minimal'}";

  private static Started started;
  private static ApiClient client;
  private static ColonyClient programs;

  @BeforeAll
  static void start() {
    started = new Started();
    Config config =
        ConfigFactory.parseMap(Map.of("pekko.cluster.jmx.enabled", "off"))
            .withFallback(NodeConfig.base(Optional.empty()))
            .resolve();
    String redis = LocalNodes.redis(started).uri();
    Node node =
        started.add(Node.start(LocalNodes.options(1, redis, OptionalInt.of(0)).getFirst(), config));
    client = ApiClient.at(URI.create(node.api()));
    programs = started.add(ColonyClient.connect(redis));
  }

  @AfterAll
  static void stop() {
    started.close();
  }

  /** What is left out is as a file has it, so that the agent works. */
  @Test
  void theExampleOfAProgrammingAgentIsBuiltAsAFileIs() {
    String name = name();
    spawn(name, "'policy': {'type': 'colony.code'}, 'capabilities': [{'type': 'memory'}]").is(201);
    assertThat(blueprint(name).at("/capabilities/0/namespace").asText()).isEqualTo("memory");
    assertThat(blueprint(name).at("/capabilities/0/args/window").isInt()).isTrue();
  }

  @Test
  void withoutAModelServerAnAgentThatPlansEndsWithALineThatSaysSo() {
    String run =
        client
            .post(
                COLONY + "/runs",
                json(
                    "{'input': 'Remember \\\"the ferry leaves at nine\\\"', 'namespace': 'chat',"
                        + "'agent': {'name': '%s', 'blueprint': {%s,".formatted(name(), MINIMAL)
                        + " 'capabilities': [{'type': 'memory'}, {'type': 'messages'}]}}}"))
            .is(202)
            .headers()
            .get("Location");
    JsonNode ended = client.get(run + "&wait=30").is(200).json();
    assertThat(ended.at("/result/status").asText()).as(ended.toString()).isEqualTo("FAILED");
    assertThat(ended.at("/result/error").asText())
        .contains("planning needs a model", "--model-url");
  }

  @Test
  void anAgentThatAProgramEnteredIsEnteredByTheSameAgain() {
    String name = name();
    AgentBlueprint plain =
        AgentBlueprint.of(Blueprint.of("colony.minimal"), Blueprint.of("memory"));
    programs.colony().spawn(new AgentId("acme", "billing", name), plain).join();
    client
        .post(
            COLONY + "/agents",
            "{\"name\": \"%s\", \"blueprint\": %s}".formatted(name, plain.toJson()))
        .is(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          'capabilities': [{'type': 'nosuch'}] | capabilities[0].type: no capability nosuch is registered
          'capabilities': [{'type': 'memory', 'args': {'window': 'many'}}] | capabilities[0].args.window: the arguments of memory do not fit
          'capabilities': [{'type': 'memory', 'args': {'windw': 1}}] | capabilities[0].args.windw: the arguments of memory do not fit
          'capabilities': [{'type': 'memory', 'excludeActions': ['memory_red']}] | capabilities[0].excludeActions[0]: it excludes the action memory_red
          'capabilities': [{'type': 'memory'}, {'type': 'messages', 'namespace': 'post'}] | capabilities[1].namespace: a capability messages works in the namespace mail
          'capabilities': [{'type': 'messages', 'scope': 'tenant:acme:colony:billing', 'namespace': 'mail'}] | capabilities[0]: messages could not be made
          'capabilities': [{'type': 'http.tools', 'args': {'allow': [{'origin': 'http://127.0.0.1:1', 'paths': ['/*'], 'methods': ['GET'], 'headers': {}, 'honoursKeys': false, 'summary': 'x'}], 'timeout': 'PT5S', 'maxResponseBytes': 1000}}] | capabilities[0]: allow[0]: 127.0.0.1 is at 127.0.0.1
          'capabilities': [{'type': 'children', 'args': {'kinds': {'clerk': {'policy': {'type': 'colony.minimal'}, 'capabilities': [{'type': 'nosuch'}]}}}}] | capabilities[0].args.kinds.clerk.capabilities[0].type: no capability nosuch
          'capabilities': [{'type': 'mcp', 'args': {'server': 'nowhere', 'allow': ['*']}}] | capabilities[0]: mcp could not be made: this node has no MCP server nowhere
          'capabilities': [{'type': 'memory'}, {'type': 'context.fetch', 'scope': 'tenant:other'}] | capabilities[1].scope: capability context.fetch of agent
          'streams': [{'name': 'all', 'formatter': {'type': 'nosuch'}, 'maxEntries': 3}] | streams[0].formatter.type: no formatter nosuch
          'budget': {'time': 'soon'} | budget.time: the field time of a run's budget
          """,
      quoteCharacter = '`')
  void whatCouldNeverWorkIsRefusedWithItsPath(String wrong, String words) {
    String name = name();
    String blueprint = MINIMAL + ", " + wrong;
    assertThat(detail(spawn(name, blueprint))).startsWith("blueprint." + words);
    client.get(COLONY + "/agents/" + name).problem(404, "not-found");
    assertThat(
            detail(
                client.post(
                    COLONY + "/runs",
                    json(
                        "{'input': 1, 'namespace': 'x', 'agent': {'name': '%s', 'blueprint': {%s}}}"
                            .formatted(name, blueprint)))))
        .startsWith("agent.blueprint." + words);
    client.get(COLONY + "/agents/" + name).problem(404, "not-found");
  }

  @Test
  void aPolicyThatIsNoneIsRefusedWithItsPath() {
    assertThat(detail(spawn(name(), "'policy': {'type': 'colony.nosuch'}")))
        .startsWith("blueprint.policy.type: no policy colony.nosuch is registered");
    assertThat(detail(spawn(name(), "'policy': 'minimal'")))
        .startsWith("blueprint.policy: a blueprint is a JSON object");
  }

  @Test
  void aChangeIsRefusedThatTheAgentCouldNotLiveBy() {
    String name = name();
    spawn(name, MINIMAL + ", 'capabilities': [{'type': 'memory'}]").is(201);
    Map.of(
            "{'blueprint': {'policy': 'minimal'}}",
            "change.blueprint.policy: a blueprint is a JSON object",
            "{'added': [{'type': 'messages'}, {'type': 'output', 'scope': 'tenant:other'}]}",
            "change.added[1].scope: capability output of agent",
            "{'added': [{'type': 'mcp', 'args': {'server': 'nowhere', 'allow': ['*']}}]}",
            "change.added[0]: mcp could not be made",
            "{'added': [{'type': 'nosuch'}]}",
            "change.added[0].type: no capability nosuch is registered",
            "{'added': [{'type': 'messages', 'namespace': 'post'}]}",
            "change.added[0].namespace: a capability messages works in",
            "{'added': [{'type': 'memory', 'key': 'again'}]}",
            "change: it offers",
            "{'added': [{'type': 'memory'}]}",
            "change: two capabilities of an agent are named memory",
            "{'removed': ['nosuch']}",
            "change: the agent has no capability nosuch",
            "{'blueprint': {'policy': {'type': 'nosuch'}}}",
            "change.blueprint.policy.type: no policy nosuch")
        .forEach((change, words) ->
            assertThat(
                    detail(revise(name, change)).replace("the capability again is refused: ", ""))
                .startsWith(words));
    revise(name, "{'added': [{'type': 'messages'}]}").is(202);
    await().atMost(ApiClient.LONGEST).until(() -> blueprint(name).path("capabilities").size() == 2);
    assertThat(blueprint(name).at("/capabilities/1/namespace").asText()).isEqualTo("mail");
  }

  @Test
  void aForkIsRefusedThatCouldNotBeBuilt() {
    AgentId broken = new AgentId("acme", "billing", name());
    programs.colony().spawn(broken, AgentBlueprint.of(Blueprint.of("nosuch"))).join();
    await()
        .atMost(ApiClient.LONGEST)
        .until(() ->
            !client
                .get(COLONY + "/agents/" + broken.name() + "/history")
                .json()
                .path("entries")
                .isEmpty());
    String fork = name();
    assertThat(
            detail(
                client.post(
                    COLONY + "/agents/" + broken.name() + "/forks",
                    json("{'sequenceNr': 1, 'name': '%s'}".formatted(fork)))))
        .contains("the policy is refused");
    client.get(COLONY + "/agents/" + fork).problem(404, "not-found");
  }

  private static ApiClient.Reply spawn(String name, String blueprint) {
    return client.post(
        COLONY + "/agents", json("{'name': '%s', 'blueprint': {%s}}".formatted(name, blueprint)));
  }

  private static ApiClient.Reply revise(String name, String change) {
    return client.post(
        COLONY + "/agents/" + name + "/revise", json("{'change': %s}".formatted(change)));
  }

  private static JsonNode blueprint(String name) {
    return new AgentDirectory(programs.blackboards())
        .find(new AgentId("acme", "billing", name))
        .toCompletableFuture()
        .join()
        .orElseThrow()
        .blueprint()
        .toJson();
  }

  private static String detail(ApiClient.Reply reply) {
    return reply.problem(400, "bad-request").json().path("detail").asText();
  }

  private static String json(String quoted) {
    return quoted.replace('\'', '"');
  }

  private static String name() {
    return "a-" + UUID.randomUUID();
  }
}
