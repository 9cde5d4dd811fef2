package dev.colony.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestColony;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A user hears of it when the agent of the chat fails, and can go on. */
@Timeout(120)
class ChatFailureTest {

  @Test
  void theUserHearsWhyThereIsNoAnswerAndGoesOn() throws InterruptedException {
    AgentId agent = new AgentId(TestColony.NAME, TestColony.NAME, "chat");
    try (FakeModel model = FakeModel.start();
        TestColony colony = TestColony.inMemory().model(model).start();
        Chat chat = new Chat(colony.blackboards(), colony.colony(), agent)) {
      model.expect("hello").fail(400);
      assertThat(chat.say("hello")).startsWith("(the agent has failed: ").endsWith(")");
      model.expect("again").act("respond_to_user", Map.of("reply", "hi"));
      model.expect("-> succeeded").idle();
      assertThat(chat.say("again")).isEqualTo("hi");
      // The answer is said before the model hears of it.
      await().untilAsserted(model::verify);
    }
  }
}
