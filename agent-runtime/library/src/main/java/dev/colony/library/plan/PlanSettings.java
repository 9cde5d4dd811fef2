package dev.colony.library.plan;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;

/**
 * The settings under {@code colony.agent.plan}; reference.conf says what each means.
 *
 * @param mostAhead the largest {@code ahead} of a blueprint's rules
 * @param mostParallel the largest {@code parallel}
 * @param mostReplanCycles the largest {@code maxReplanCycles}
 * @param mostEverySteps the largest {@code everySteps}
 * @param alternatives drafts besides the first that a reply may have
 * @param revisionsKept that a level remembers, the latest
 * @param revisionsShown of these, in prompts and to people
 * @param goalChars of a goal, or of a question to the supervisor
 * @param wordsChars of what is expected of an action, in words
 * @param errorChars of the error of an action
 * @param replyErrorChars of what is wrong with a reply, as the model is told
 * @param newsChars of an event
 * @param summaryChars of the summary of an action or a group
 * @param lineChars of a line of the tree
 * @param paramsChars of an action's parameters or of a result in the tree
 */
public record PlanSettings(
    int mostAhead,
    int mostParallel,
    int mostReplanCycles,
    int mostEverySteps,
    int alternatives,
    int revisionsKept,
    int revisionsShown,
    int goalChars,
    int wordsChars,
    int errorChars,
    int replyErrorChars,
    int newsChars,
    int summaryChars,
    int lineChars,
    int paramsChars) {

  /** The defaults of {@code reference.conf}. */
  public static final PlanSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(PlanSettings.class.getClassLoader()));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static PlanSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.plan");
    return new PlanSettings(
        read.integer("most-ahead", 1, 10_000),
        read.integer("most-parallel", 1, 10_000),
        read.integer("most-replan-cycles", 0, 1_000_000),
        read.integer("most-every-steps", 0, 1_000_000),
        read.integer("alternatives", 0, 100),
        read.integer("revisions-kept", 1, 1_000),
        read.integer("revisions-shown", 1, 1_000),
        read.integer("goal-chars", 100, 100_000),
        read.integer("words-chars", 16, 100_000),
        read.integer("error-chars", 100, 100_000),
        read.integer("reply-error-chars", 100, 100_000),
        read.integer("news-chars", 16, 100_000),
        read.integer("summary-chars", 16, 100_000),
        read.integer("line-chars", 40, 100_000),
        read.integer("params-chars", 16, 100_000));
  }

  /** Those of this process. */
  public static PlanSettings installed() {
    return fromConfig(ConfigFactory.load());
  }

  /**
   * Holds a blueprint's rules against what rules may ask for.
   *
   * @return the rules
   * @throws IllegalArgumentException naming the rule, its value and the setting
   */
  public PlanRules checked(PlanRules rules) {
    check("ahead", rules.ahead(), "most-ahead", mostAhead);
    check("parallel", rules.parallel(), "most-parallel", mostParallel);
    check("maxReplanCycles", rules.maxReplanCycles(), "most-replan-cycles", mostReplanCycles);
    check("everySteps", rules.everySteps(), "most-every-steps", mostEverySteps);
    return rules;
  }

  private static void check(String name, int value, String setting, int most) {
    if (value > most) {
      throw new IllegalArgumentException(
          "%s is %d, but colony.agent.plan.%s is %d".formatted(name, value, setting, most));
    }
  }
}
