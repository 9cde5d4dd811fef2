package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Has a model hold a result against criteria, or look over a plan before it is carried out. The
 * verdict follows from the findings: what has a grave one is not accepted.
 */
@Registered(value = "critique", summary = "Reviews of results and of plans, by a model.")
public final class CritiqueCapability extends AgentCapability {

  private static final String CRITIC =
      """
      You review work against criteria. Report each fault as a finding: how grave it is, where it \
      is, what is wrong, what to do about it. Report nothing that you cannot point to. Accept what \
      meets every criterion; have revised what can be mended; reject what has to begin anew.\
      """;

  private static final String PLAN_CRITIC =
      """
      You review a plan before it is carried out. Look for steps that are missing, that come too \
      early, that repeat each other, that do not serve the goal, that break a constraint, or that \
      cannot be undone and are not guarded. Report each as a finding: how grave it is, which step, \
      what is wrong, what to do about it.\
      """;

  /** What a review comes to. */
  public enum Verdict {
    ACCEPT,
    REVISE,
    REJECT
  }

  /** How grave a finding is. */
  public enum Severity {
    LOW,
    MEDIUM,
    HIGH
  }

  public record Finding(
      Severity severity,
      @Param("the place: a section, a step, a quotation") String where,
      @Param("what is wrong") String what,
      @Param("what to do about it") String suggestion) {}

  /**
   * A review.
   *
   * @param findings empty where there is no fault
   */
  public record Review(
      Verdict verdict,
      @Range(max = 50) List<Finding> findings,
      @Param("the review in one or two sentences") String summary) {

    public Review {
      findings = List.copyOf(findings);
    }

    Optional<String> contradiction() {
      boolean grave = findings.stream().anyMatch(one -> one.severity() == Severity.HIGH);
      if (verdict == Verdict.ACCEPT && grave) {
        return Optional.of("the verdict is ACCEPT, but a finding has the severity HIGH");
      }
      return verdict != Verdict.ACCEPT && findings.isEmpty()
          ? Optional.of("the verdict is " + verdict + ", but there is no finding that says why")
          : Optional.empty();
    }
  }

  public CritiqueCapability(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(
      key = "critique",
      summary =
          "Reviews a text or a result against criteria, by one model call: a verdict, and findings "
              + "with what to do about each.",
      tags = "reasoning",
      writes = "review")
  Review critique(
      @Param("what is reviewed: text or JSON, a reference such as $results.a1 for a result")
          JsonNode subject,
      @Param("what it has to meet, one criterion each") @Range(min = 1, max = 30)
          List<String> criteria) {
    return new Inquiry(
            CRITIC,
            Map.of("subject", subject),
            "Review the subject against these criteria:\n" + lines(criteria))
        .ask(agent(), "critique", Review.class, Review::contradiction);
  }

  @ActionExecutor(
      key = "plan_review",
      summary =
          "Reviews a plan before it is carried out, by one model call: a verdict, and findings "
              + "with what to do about each.",
      tags = "reasoning",
      writes = "review")
  Review planReview(
      @Param("what the plan is to reach") String goal,
      @Param("the plan: text or JSON") JsonNode plan,
      @Param("what it must not break") Optional<List<String>> constraints) {
    return new Inquiry(
            PLAN_CRITIC,
            Map.of("plan", plan),
            "Review the plan. Its goal: "
                + goal
                + constraints.map(all -> "\nConstraints:\n" + lines(all)).orElse(""))
        .ask(agent(), "plan_review", Review.class, Review::contradiction);
  }

  private static String lines(List<String> texts) {
    return "- " + String.join("\n- ", texts);
  }
}
