package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.blackboard.settings.Settings;
import dev.colony.code.Sandbox.CodeSettings;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a model says beside its cells. */
class CodeReasoningTest {

  @Test
  void itIsAnEventOfTheRun() {
    try (FakeModel model = FakeModel.start();
        Sandbox sandbox = new Sandbox(Settings.read(CodeSettings.class, ConfigFactory.load()));
        TestAgent agent =
            TestAgent.of(
                    AgentBlueprint.of(
                        CodeGenerationActionPolicy.class, CodeGenerationActionPolicy.Args.NONE))
                .service(Sandbox.class, sandbox)
                .model(model)
                .start()) {
      model.expect("count").answer("I add them up.\n```js\nprint(40 + 2)\n```");
      model.expect("42").answer("{\"end\": \"complete\", \"result\": 42}");
      AgentRun run = agent.run("count");
      assertThat(run.output().asInt()).isEqualTo(42);
      List<String> said = new ArrayList<>();
      agent
          .handle()
          .attach(run.runId(), RunOptions.namespace(TestAgent.NAMESPACE))
          .forEach(event -> {
            if (event.end().isEmpty()) {
              said.add(event.name() + ": " + event.data().path("text").asText());
            }
          })
          .orTimeout(20, TimeUnit.SECONDS)
          .join();
      assertThat(said).containsExactly("reasoning: I add them up.");
    }
  }
}
