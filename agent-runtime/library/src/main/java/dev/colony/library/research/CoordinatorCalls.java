package dev.colony.library.research;

import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.Agent;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.CoordinatorPrompts.Judgement;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * What a coordinator asks its model on the way to an answer, whatever decides which actions it
 * takes. A call that fails costs a help and not the answer.
 */
final class CoordinatorCalls {

  private CoordinatorCalls() {}

  /** Queries in the code's own words; empty where the model gives none. */
  static List<String> words(Agent agent, String question, String map) {
    ModelCall call =
        CoordinatorPrompts.words(question, agent.pages().map(map).toCompletableFuture().join());
    return asked(agent, "words", less -> call).map(CoordinatorPrompts::queries).orElse(List.of());
  }

  /**
   * Which passages answer, and what is missing; all and nothing where the model does not say.
   *
   * @param more whether a further round is possible
   */
  static Judgement judged(Agent agent, String question, List<Evidence> passages, boolean more) {
    return asked(agent, "judge", less -> CoordinatorPrompts.judge(question, passages, more, less))
        .map(CoordinatorPrompts::judgement)
        .orElse(Judgement.all(passages.size()));
  }

  private static Optional<String> asked(Agent agent, String name, LongFunction<ModelCall> without) {
    try {
      return Optional.of(PromptFit.infer(agent, name, without).text());
    } catch (AgentException unanswered) {
      return Optional.empty();
    }
  }
}
