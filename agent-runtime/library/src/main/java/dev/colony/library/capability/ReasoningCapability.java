package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Has a model answer a question about inputs, test a hypothesis, choose between options, or sum up.
 * What it says names the inputs that it rests on; a reply that names others is sent back once.
 */
@Registered(
    value = "reasoning",
    summary = "Analyses, hypotheses, decisions and summaries over named inputs, by a model.")
public final class ReasoningCapability extends AgentCapability {

  private static final String ANALYST =
      "You answer a question from inputs. Each point of your answer names the inputs it rests on.";
  private static final String TESTER =
      """
      You test a hypothesis against inputs. Say what speaks for it and what against it, each with \
      the inputs it rests on. It is supported or refuted only where the inputs decide it.\
      """;
  private static final String DECIDER =
      """
      You choose one of several options by criteria. Give each option a score from 0 to 10, choose \
      one with the highest, and say what would change the decision.\
      """;
  private static final String SUMMARIZER =
      """
      You sum up inputs for a reader who will not see them. Keep names, numbers, decisions and what \
      is still open. Begin with the text itself.\
      """;

  private static final String INPUTS =
      "named inputs: text or JSON, references such as $results.a1 for results";

  /** A statement and the inputs that it rests on. */
  public record Point(String statement, @Range(min = 1) List<String> inputs) {}

  /**
   * An answer from inputs.
   *
   * @param gaps what the inputs leave open
   */
  public record Analysis(String answer, List<Point> points, List<String> gaps) {}

  /** Whether a hypothesis holds. */
  public record Test(Outcome outcome, List<Point> supporting, List<Point> against, String missing) {

    public enum Outcome {
      SUPPORTED,
      REFUTED,
      UNDECIDED
    }
  }

  /** How an option does. */
  public record Scored(String option, @Range(min = 0, max = 10) double score, String reason) {}

  public record Choice(
      @Param("the name of the option") String choice,
      List<Scored> scores,
      String reason,
      @Param("what would change the decision") String wouldChange) {}

  public ReasoningCapability(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(
      key = "analyze",
      summary =
          "Answers a question from named inputs, by one model call. Each point names the inputs "
              + "that it rests on.",
      tags = "reasoning",
      writes = "analysis")
  Analysis analyze(
      @Param("what is to be found out") String question,
      @Param(INPUTS) @Range(min = 1, max = 50) Map<String, JsonNode> inputs) {
    return new Inquiry(ANALYST, inputs, "Question: " + question)
        .ask(agent(), "analyze", Analysis.class, found -> unknown(found.points(), inputs));
  }

  @ActionExecutor(
      key = "hypothesis_test",
      summary =
          "Tests a hypothesis against named inputs, by one model call: supported, refuted or "
              + "undecided, and what speaks for and against it.",
      tags = "reasoning",
      writes = "test")
  Test testHypothesis(
      @Param("the hypothesis, one sentence that can be wrong") String hypothesis,
      @Param(INPUTS) @Range(min = 1, max = 50) Map<String, JsonNode> inputs) {
    return new Inquiry(TESTER, inputs, "Hypothesis: " + hypothesis)
        .ask(agent(), "hypothesis_test", Test.class, test -> unfounded(test, inputs));
  }

  @ActionExecutor(
      key = "decision_make",
      summary =
          "Chooses one of several options by criteria, by one model call, with a score for each "
              + "and what would change the decision.",
      tags = "reasoning",
      writes = "decision")
  Choice decide(
      @Param("what is to be decided") String question,
      @Param("the options by their names, each with what it means") @Range(min = 2, max = 20)
          Map<String, String> options,
      @Param("by what to choose, the most important first") @Range(min = 1, max = 20)
          List<String> criteria,
      @Param(INPUTS) Optional<Map<String, JsonNode>> inputs) {
    StringBuilder asked = new StringBuilder("Decide: ").append(question).append("\nOptions:");
    new TreeMap<>(options)
        .forEach((name, meaning) -> asked.append("\n- ").append(name).append(": ").append(meaning));
    asked.append("\nCriteria:\n- ").append(String.join("\n- ", criteria));
    return new Inquiry(DECIDER, inputs.orElse(Map.of()), asked.toString())
        .ask(agent(), "decision_make", Choice.class, choice -> unfit(choice, options.keySet()));
  }

  @ActionExecutor(
      key = "context_summarize",
      summary =
          "Sums up named inputs, by one model call, so that the summary can stand in their place.",
      tags = "context",
      writes = "summary")
  String summarize(
      @Param(INPUTS) @Range(min = 1, max = 50) Map<String, JsonNode> inputs,
      @Param("what the reader needs to know; everything of weight if absent")
          Optional<String> focus,
      @Param("how many words at most; 150 if absent") @Range(min = 10, max = 2000)
          Optional<Integer> words) {
    int most = words.orElse(150);
    String summary =
        new Inquiry(
                SUMMARIZER,
                inputs,
                "Sum the inputs up in at most "
                    + most
                    + " words"
                    + focus.map(on -> ", for a reader who needs to know: " + on).orElse("")
                    + ".")
            .askText(agent(), "context_summarize", text -> tooLong(text, most));
    if (summary.isEmpty()) {
      throw new AgentException("the model's summary is empty", null, true);
    }
    return summary;
  }

  private static Optional<String> unknown(List<Point> points, Map<String, JsonNode> inputs) {
    return Inquiry.unknown(
        points.stream().flatMap(point -> point.inputs().stream()).toList(), inputs);
  }

  private static Optional<String> unfounded(Test test, Map<String, JsonNode> inputs) {
    boolean founded =
        switch (test.outcome()) {
          case SUPPORTED -> !test.supporting().isEmpty();
          case REFUTED -> !test.against().isEmpty();
          case UNDECIDED -> true;
        };
    return founded
        ? unknown(test.supporting(), inputs).or(() -> unknown(test.against(), inputs))
        : Optional.of("the outcome is " + test.outcome() + ", but no point says why");
  }

  private static Optional<String> unfit(Choice choice, Set<String> options) {
    if (!options.contains(choice.choice())) {
      return Optional.of(
          "there is no option " + choice.choice() + ", only " + new TreeSet<>(options));
    }
    List<String> scored = choice.scores().stream().map(Scored::option).sorted().toList();
    if (!scored.equals(options.stream().sorted().toList())) {
      return Optional.of("each option has one score, but scored are " + scored);
    }
    double best = choice.scores().stream().mapToDouble(Scored::score).max().orElse(0);
    double chosen =
        choice.scores().stream()
            .filter(one -> one.option().equals(choice.choice()))
            .mapToDouble(Scored::score)
            .max()
            .orElse(0);
    return chosen < best
        ? Optional.of(choice.choice() + " is chosen, but another option has a higher score")
        : Optional.empty();
  }

  /** Half as much again is no fault: models count words badly. */
  private static Optional<String> tooLong(String text, int most) {
    int words = text.strip().split("\\s+").length;
    return words > most + most / 2
        ? Optional.of("the summary has " + words + " words, but may have at most " + most)
        : Optional.empty();
  }
}
