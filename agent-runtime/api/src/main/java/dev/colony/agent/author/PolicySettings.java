package dev.colony.agent.author;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.util.Map;

/** What an operator may say of policies; reference.conf says what each setting means. */
@Section("colony.agent")
public record PolicySettings(Planning policy, Prompt prompt) {

  /** How much of a value a prompt or a stream is shown, in characters. */
  public static final int PREVIEW_CHARS = 600;

  /** How much of the model's reasoning is kept with an action, in characters. */
  public static final int REASONING_CHARS = 400;

  /** The largest context of an event that is kept as it is, in characters. */
  public static final int CONTEXT_CHARS = 8_000;

  /** Events that may wait for a policy that takes one at a time; the oldest go first. */
  public static final int PENDING_EVENTS = 256;

  /** The defaults of {@code reference.conf}. */
  public static final PolicySettings DEFAULTS =
      Settings.read(
          PolicySettings.class,
          ConfigFactory.defaultReference(PolicySettings.class.getClassLoader()));

  /**
   * How a policy asks its model.
   *
   * @param twoPhaseAbove actions above which they are no tools of their own, and the choice and the
   *     parameters may be two model calls
   * @param unusableAnswers iterations in a row without a usable answer after which a run fails
   * @param answerTokens bound on a model's answer
   * @param keptPrompts of how many steps of an agent the prompts are kept for people; 0 for none
   */
  public record Planning(
      @Range(min = "0", max = "10000") int twoPhaseAbove,
      @Range(min = "1", max = "1000") int unusableAnswers,
      @Range(min = "16", max = "1000000") int answerTokens,
      @Range(min = "0", max = "10000") int keptPrompts) {}

  /**
   * How many tokens the sections of a planning prompt may take that grow with the work. What is
   * beyond is left out, and a line of the prompt tells the model.
   *
   * @param actions of all that may be chosen
   */
  public record Prompt(
      @Range(min = "32", max = "1000000") int actions,
      @Range(min = "32", max = "1000000") int history,
      @Range(min = "32", max = "1000000") int pages) {

    /** The least that a section may be given. */
    public static final int LEAST = 32;

    /** The most. */
    public static final int MOST = 1_000_000;

    /** Of the other sections, by the names of their layers; {@code stream} is of each stream. */
    private static final Map<String, Integer> TOKENS =
        Map.ofEntries(
            Map.entry("goals", 2_000),
            Map.entry("input", 4_000),
            Map.entry("stream", 4_000),
            Map.entry("variables", 500),
            Map.entry("background", 500),
            Map.entry("approvals", 500),
            Map.entry("news", 2_000),
            Map.entry("plan", 4_000),
            Map.entry("functions", 12_000),
            Map.entry("cells", 16_000),
            Map.entry("left", 200));

    /** Of a layer that is not named here. */
    private static final int OTHER = 1_000;

    /** The budget of a layer. */
    public int of(String layer) {
      return switch (layer) {
        case "history" -> history;
        case "pages" -> pages;
        default -> TOKENS.getOrDefault(layer, OTHER);
      };
    }
  }
}
