package dev.colony.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.Param;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Agents;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.LocalOptions;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.testkit.FakeModel;
import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agent.tool.ToolSpecifications;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/guides/langchain4j.md, over the API of a node. */
class LangChain4jGuideTest {

  @TempDir private static Path folder;
  private static RedisServerProcess redis;
  private static FakeModel model;
  private static Node node;
  private static Colony colony;

  // guide: tool
  public static final class Harbour {

    private final AgentHandle glossary;

    public Harbour(Colony colony) {
      this.glossary =
          colony.spawn(Agents.named("glossary").goal("Explain the word of seafaring asked for."));
    }

    @Tool("Explains a word of seafaring.")
    public String explain(@P("the word") String word) {
      return glossary.ask("What is a " + word + "?");
    }
  }

  // guide end

  // guide: within
  public static final class Translator {

    private final ChatModel model;

    public Translator(ChatModel model) {
      this.model = model;
    }

    record Text(@Param("the text to translate") String text) {}

    @ActionExecutor(summary = "Translates a text into German.")
    String translate(Text text) {
      return model.chat("Translate into German: " + text.text());
    }
  }

  // guide end

  @BeforeAll
  static void start() {
    redis = RedisServerProcess.ensure(ServerSettings.in(folder.resolve("redis")));
    model = FakeModel.start();
    node =
        Node.start(
            new NodeOptions(
                "node-1",
                Listening.at("127.0.0.1", LoopbackPorts.free(1).getFirst()),
                new Joining.Alone(),
                1,
                OptionalInt.of(0),
                redis.uri(),
                Optional.of(model.uri()),
                Optional.empty()),
            NodeConfig.base(Optional.empty()));
    colony = Colony.connect(node.api());
  }

  @AfterAll
  static void stop() {
    colony.close();
    node.close();
    model.close();
    redis.stop();
  }

  private static ChatModel agentAsModel(String api, String key) {
    // guide: model
    ChatModel glossary =
        OpenAiChatModel.builder()
            .baseUrl(api + "/v1")
            .apiKey(key)
            .modelName("agent:default/default/glossary")
            .build();
    // guide end
    return glossary;
  }

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns("guides/langchain4j.md", LangChain4jGuideTest.class);
  }

  @Test
  void anAgentIsAToolAndAModel() {
    model.expect("What is a bow?").complete("the front of a ship");
    Harbour harbour = new Harbour(colony);
    assertThat(ToolSpecifications.toolSpecificationsFrom(harbour))
        .singleElement()
        .satisfies(tool -> {
          assertThat(tool.name()).isEqualTo("explain");
          assertThat(tool.description()).isEqualTo("Explains a word of seafaring.");
        });
    assertThat(harbour.explain("bow")).isEqualTo("the front of a ship");

    model.expect("What is a stern?").complete("its back");
    assertThat(agentAsModel(node.api(), "none").chat("What is a stern?")).isEqualTo("its back");
  }

  @Test
  void aToolOfAnAgentAsksAModelOfLangChain4j() {
    model.expect("Say bow in German").act("translator.translate", Map.of("text", "bow"));
    model.expect("Translate into German: bow").answer(prompt -> "der Bug");
    model.expect("der Bug").complete("der Bug");
    ChatModel words =
        OpenAiChatModel.builder()
            .baseUrl(model.uri().toString())
            .apiKey("none")
            .modelName(FakeModel.MODEL)
            .build();
    try (Colony local = Colony.local(LocalOptions.temporary().model(model.uri()))) {
      AgentHandle agent =
          local.spawn(
              Agents.named("translator").tools(new Translator(words)).goal("Say it in German."));
      assertThat(agent.ask("Say bow in German")).isEqualTo("der Bug");
    }
  }
}
