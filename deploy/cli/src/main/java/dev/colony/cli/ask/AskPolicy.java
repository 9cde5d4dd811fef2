package dev.colony.cli.ask;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.code.CodeGenerationActionPolicy;
import dev.colony.library.planning.CacheAwareActionPolicy;
import dev.colony.library.planning.PlanArgs;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.research.ResearchTypes;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What decides which actions the coordinator of a run takes. */
public enum AskPolicy {
  /** Fixed steps: find the analysts, ask them, compose the answer. */
  RESEARCH,
  /** A model, one action at a time. */
  MINIMAL,
  /** A model that makes a plan. */
  CACHE_AWARE,
  /** A model that writes cells of code. */
  CODE;

  private static final String ROLE =
      "You coordinate analysts that answer questions about a source tree.";
  private static final String[] GOALS = {
    "Find the analysts whose pages can answer the question",
    "Ask the analysts all at once",
    "Compose the answer from what the analysts have found"
  };
  private static final String RESULT =
      "The result is what composing the answer gave, as it is: refer to it";

  /** As it is written on the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The policy of that name.
   *
   * @throws IllegalArgumentException on one line, if there is none
   */
  public static AskPolicy of(String word) {
    return Arrays.stream(values())
        .filter(one -> one.word().equals(word))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "a policy is %s, not: %s"
                    .formatted(
                        Arrays.stream(values())
                            .map(AskPolicy::word)
                            .collect(Collectors.joining(", ")),
                        word)));
  }

  /** A coordinator that it decides for. */
  AgentBlueprint coordinator() {
    // Made here: a command reads the name of a policy before it has a log.
    ActionPolicyIO io =
        ActionPolicyIO.builder()
            .output("answer", String.class)
            .output("citations", JsonNodeFactory.instance.objectNode().put("type", "array"))
            .build();
    PlannerArgs planner = PlannerArgs.NONE.role(ROLE).goals(GOALS).constraints(RESULT).io(io);
    return switch (this) {
      case RESEARCH -> ResearchTypes.coordinator();
      case MINIMAL -> ResearchTypes.coordinator(Blueprint.bind(MinimalActionPolicy.class, planner));
      case CACHE_AWARE ->
          ResearchTypes.coordinator(
              Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE.planner(planner)));
      case CODE ->
          ResearchTypes.coordinator(
              Blueprint.bind(
                  CodeGenerationActionPolicy.class,
                  CodeGenerationActionPolicy.Args.NONE.planner(planner)));
    };
  }
}
