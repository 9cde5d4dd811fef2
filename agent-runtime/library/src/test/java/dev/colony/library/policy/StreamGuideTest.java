package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.fixture.Guide;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.library.policy.GameTypes.GameMoveFormatter;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.AllOf;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The three examples of the document on consciousness streams, as docs/guides/context.md shows
 * them.
 */
class StreamGuideTest {

  private static final Blueprint POLICY = Blueprint.of("test.none");

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/context.md#Streams", StreamGuideTest.class, GameTypes.class);
  }

  @Test
  void aSessionAgentSeesTheConversation() {
    // guide: session
    StreamBlueprint conversation =
        ConsciousnessStream.bind("conversation", ConversationFormatter.bind())
            .events(EventContextKeyFilter.bind("user_chat_message"))
            .actions(SuccessfulActionFilter.bind(ActionKeySubstringFilter.bind("respond_to_user")));

    AgentBlueprint session = AgentBlueprint.of(POLICY).stream(conversation);
    // guide end
    assertThat(session.streams()).containsExactly(conversation);

    Lived lived =
        new Lived(conversation)
            .event(
                "user_chat_message",
                Map.of("message", "Can you run an impact analysis on the auth module?"))
            .event("worker_result", Map.of("found", 3))
            .action("session.lookup", "what the user does not see")
            .failedAction("session.respond_to_user", "the channel is closed")
            .action(
                "session.respond_to_user",
                "I'll spawn an ImpactAnalysisCoordinator for the auth module...")
            .event("user_chat_message", Map.of("message", "Focus on session token handling"));

    assertThat(lived.sections())
        .containsExactly(
            """
            ## Conversation
            **User**: Can you run an impact analysis on the auth module?
            **You (Agent)**: I'll spawn an ImpactAnalysisCoordinator for the auth module...
            **User**: Focus on session token handling\
            """);
  }

  @Test
  void aCoordinatorSeesResultsAndSynthesisApart() {
    // guide: coordinator
    StreamBlueprint workerResults =
        ConsciousnessStream.bind("worker_results", JSONStreamFormatter.bind("## Worker Results"))
            .events(EventContextKeyFilter.bind("worker_result", "worker_failed"))
            .maxEntries(50);
    StreamBlueprint synthesis =
        ConsciousnessStream.bind("synthesis", JSONStreamFormatter.bind("## Synthesis Progress"))
            .actions(
                SuccessfulActionFilter.bind(
                    ActionKeySubstringFilter.bind("synthesize", "finalize")))
            .maxEntries(20);

    AgentBlueprint coordinator = AgentBlueprint.of(POLICY).stream(workerResults).stream(synthesis);
    // guide end
    assertThat(coordinator.streams()).extracting(StreamBlueprint::maxEntries).contains(50, 20);

    Lived lived =
        new Lived(workerResults, synthesis)
            .event("worker_result", Map.of("worker", "w1", "findings", 2))
            .action("report.synthesize", "halfway there")
            .event("user_chat_message", Map.of("message", "not for these streams"))
            .event("worker_failed", Map.of("worker", "w2"))
            .failedAction("report.finalize", "too early")
            .action("report.finalize", Map.of("pages", 4));

    assertThat(lived.sections())
        .containsExactly(
            """
            ## Worker Results
            - worker_result: {"findings":2,"worker":"w1"}
            - worker_failed: {"worker":"w2"}\
            """,
            """
            ## Synthesis Progress
            - report.synthesize: halfway there
            - report.finalize: {"pages":4}\
            """);
  }

  @Test
  void aGameIsRenderedByAFormatterOfItsOwn() {
    // guide: game
    StreamBlueprint moves =
        ConsciousnessStream.bind("game_moves", GameMoveFormatter.bind())
            .events(EventContextKeyFilter.bind("game_move"))
            .maxEntries(30);
    // guide end

    Lived lived =
        new Lived(moves)
            .event("game_move", Map.of("move", "e2-e4", "evaluation", "+0.3"))
            .event("game_move", Map.of("move", "c7-c5"))
            .action("game.resign", "not an event");

    assertThat(lived.sections())
        .containsExactly(
            """
            ## Game Moves

            1. e2-e4 (eval: +0.3)
            2. c7-c5 (eval: ?)\
            """);
    assertThat(new Lived(moves).sections()).containsExactly("");
  }

  @Test
  void aStreamTakesAFurtherKindOfEntries() {
    // guide: kind
    StreamBlueprint everythingMeasured =
        ConsciousnessStream.bind("telemetry", JSONStreamFormatter.bind("## Telemetry"))
            .filter("telemetry", AllOf.bind());
    // guide end

    Lived lived =
        new Lived(everythingMeasured)
            .lives(Lived.entry("telemetry", Map.of("name", "heap", "value", 71)))
            .event("telemetry", Map.of("name", "an event, not a measurement"));

    assertThat(lived.sections())
        .containsExactly(
            """
            ## Telemetry
            - telemetry: {"name":"heap","value":71}\
            """);
  }
}
