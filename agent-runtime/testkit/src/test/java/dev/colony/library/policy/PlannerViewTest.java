package dev.colony.library.policy;

import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a planner is shown of its run beside the sections that every run has. */
class PlannerViewTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  @Test
  void whatARunIsAskedForInWordsIsTheUsersLineOfAConversation() {
    model
        .expect("## Goals\n- Greet", "## Conversation\n**User**: Greet")
        .act("notes.report", Map.of());
    model.expect("**User**: Greet\n**You (Agent)**: note note").complete("done");
    model.expect("**User**: Greet\n**You (Agent)**: ", "\n**User**: Again").complete("done");
    try (TestAgent agent =
        Notes.agent(
            Notes.clerk().stream(
                ConsciousnessStream.bind("conversation", ConversationFormatter.bind())
                    .events(EventContextKeyFilter.bind(ConversationFormatter.USER_CONTEXT_KEY))
                    .actions(ActionKeySubstringFilter.bind("notes"))),
            model)) {
      agent.run("Greet");
      agent.run("Again");
    }
  }
}
