package dev.colony.agent.author;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.agent.policy}; reference.conf says what each means.
 *
 * @param twoPhaseAbove actions above which they are no tools of their own, and the choice and the
 *     parameters may be two model calls
 * @param unusableAnswers iterations in a row without a usable answer after which a run fails
 * @param answerTokens bound on a model's answer
 * @param previewChars how much of a value a prompt or a stream is shown
 * @param reasoningChars how much of the model's reasoning is kept with an action
 * @param reasonings of how many of the latest actions it is kept
 * @param memories how many memories a prompt is shown at most
 * @param keptPrompts of how many steps of an agent the prompts are kept for people; 0 for none
 * @param keptPromptsFor how long
 * @param contextChars the largest context of an event that is kept as it is
 * @param pendingEvents how many events may wait for a policy that takes one at a time
 */
public record PolicySettings(
    int twoPhaseAbove,
    int unusableAnswers,
    int answerTokens,
    int previewChars,
    int reasoningChars,
    int reasonings,
    int memories,
    int keptPrompts,
    Duration keptPromptsFor,
    int contextChars,
    int pendingEvents,
    PromptBudgets prompt) {

  /** The defaults of {@code reference.conf}. */
  public static final PolicySettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(PolicySettings.class.getClassLoader()));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static PolicySettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.policy");
    return new PolicySettings(
        read.integer("two-phase-above", 0, 10_000),
        read.integer("unusable-answers", 1, 1_000),
        read.integer("answer-tokens", 16, 1_000_000),
        read.integer("preview-chars", 16, 100_000),
        read.integer("reasoning-chars", 16, 10_000),
        read.integer("reasonings", 1, 10_000),
        read.integer("memories", 1, 1_000),
        read.integer("kept-prompts", 0, 10_000),
        read.duration("kept-prompts-for", Duration.ofSeconds(1), Duration.ofDays(30)),
        read.integer("context-chars", 64, 1_000_000),
        read.integer("pending-events", 1, 10_000),
        PromptBudgets.fromConfig(config));
  }
}
