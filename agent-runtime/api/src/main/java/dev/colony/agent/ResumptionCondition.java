package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ResumptionCondition.ConditionFacts;
import dev.colony.agent.Suspension.Names;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What has to happen before a suspended agent goes on. One whose parts are all level (children,
 * pages, room, time) holds as long as the world is so; a signal, an event and an approval hold from
 * when they have come once within the suspension.
 *
 * <p>Source: the seed's table of resumption conditions; {@link At}, {@link Event}, {@link
 * Approved}, {@link All} and {@link AnyOf} are ours.
 */
public sealed interface ResumptionCondition {

  /** Conditions within one, itself included. */
  int MOST_PARTS = 256;

  /** Conditions within each other. */
  int MOST_DEPTH = 8;

  /** Agents or pages that one condition lists. */
  int MOST_LISTED = 10_000;

  /** Stars in the pattern of an {@link Event}, as many as an agent can be woken for. */
  int MOST_STARS = 4;

  /** All of these agents have stopped or failed, or are unknown to the directory. */
  record ChildrenCompleted(List<AgentId> agents) implements ResumptionCondition {
    public ChildrenCompleted {
      agents = List.copyOf(agents);
      notEmpty("agents", agents, MOST_LISTED);
    }
  }

  /** Some node that the agent may run on has room for it, and it is its turn. */
  record ResourceAvailable() implements ResumptionCondition {}

  /** Each of these pages is in the cache of some replica. */
  record PagesAvailable(List<PageId> pages) implements ResumptionCondition {
    public PagesAvailable {
      pages = List.copyOf(pages);
      notEmpty("pages", pages, MOST_LISTED);
    }
  }

  /** Holds always. */
  record Immediate() implements ResumptionCondition {}

  /**
   * A caller has given the agent this signal.
   *
   * @param key 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   */
  record Custom(String key) implements ResumptionCondition {
    public Custom {
      Names.check("signal", key);
    }
  }

  /** It is this time or later, by the clock of the node that evaluates it. */
  record At(Instant time) implements ResumptionCondition {
    public At {
      Objects.requireNonNull(time, "time");
    }
  }

  /**
   * A writer other than the agent has written something that matches.
   *
   * @param pattern with at most {@link #MOST_STARS} stars
   * @param after what was written behind this position counts; empty for what is written after the
   *     suspension was entered
   */
  record Event(Scope scope, KeyGlob pattern, Optional<Position> after)
      implements ResumptionCondition {
    public Event {
      Objects.requireNonNull(scope, "scope");
      Objects.requireNonNull(after, "after");
      if (pattern.pattern().chars().filter(c -> c == '*').count() > MOST_STARS) {
        throw new IllegalArgumentException(
            "the pattern of an event has at most %d stars, but this has more: %s"
                .formatted(MOST_STARS, pattern.pattern()));
      }
    }

    public Event(Scope scope, KeyGlob pattern) {
      this(scope, pattern, Optional.empty());
    }
  }

  /**
   * A person has said yes or no.
   *
   * @param request what is asked for, as the run names it: 1 to 128 characters of {@code
   *     [A-Za-z0-9._~-]}
   * @param after what was said behind this position of the agent's own scope is an answer; empty
   *     for whatever is said once the agent waits
   */
  record Approved(String request, Optional<Position> after) implements ResumptionCondition {
    public Approved {
      Names.check("request", request);
      Objects.requireNonNull(after, "after");
    }

    public Approved(String request) {
      this(request, Optional.empty());
    }

    /** Whether what was said to this request at that position is an answer. */
    public boolean answeredAt(Position said) {
      return after.filter(begin -> said.compareTo(begin) <= 0).isEmpty();
    }
  }

  /** Each of several holds. */
  record All(List<ResumptionCondition> of) implements ResumptionCondition {
    public All {
      of = List.copyOf(of);
      notEmpty("conditions", of, MOST_PARTS);
      bounded(of);
    }
  }

  /** At least one of several holds. */
  record AnyOf(List<ResumptionCondition> of) implements ResumptionCondition {
    public AnyOf {
      of = List.copyOf(of);
      notEmpty("conditions", of, MOST_PARTS);
      bounded(of);
    }
  }

  static ResumptionCondition all(ResumptionCondition... conditions) {
    return new All(List.of(conditions));
  }

  static ResumptionCondition any(ResumptionCondition... conditions) {
    return new AnyOf(List.of(conditions));
  }

  /** The conditions that are neither {@link All} nor {@link AnyOf}, in their order. */
  default Stream<ResumptionCondition> leaves() {
    return parts().isEmpty()
        ? Stream.of(this)
        : parts().stream().flatMap(ResumptionCondition::leaves);
  }

  /** Of {@link All} and {@link AnyOf}; empty for the others. */
  default List<ResumptionCondition> parts() {
    return switch (this) {
      case All all -> all.of();
      case AnyOf any -> any.of();
      default -> List.of();
    };
  }

  /** The same with each of its {@link #leaves} changed. */
  default ResumptionCondition withLeaves(UnaryOperator<ResumptionCondition> change) {
    if (parts().isEmpty()) {
      return change.apply(this);
    }
    List<ResumptionCondition> changed =
        parts().stream().map(part -> part.withLeaves(change)).toList();
    return this instanceof All ? new All(changed) : new AnyOf(changed);
  }

  /**
   * Looks whether an agent may wait for it: what happens at another tenant's is not told to this
   * one's, not even that it happens.
   *
   * @throws IllegalArgumentException naming the first tenant that is not the agent's
   */
  default void check(AgentId agent) {
    leaves()
        .flatMap(ResumptionCondition::tenants)
        .filter(tenant -> !tenant.equals(agent.tenant()))
        .findFirst()
        .ifPresent(other -> {
          throw new IllegalArgumentException(
              "agent %s cannot wait for what happens at tenant %s".formatted(agent, other));
        });
  }

  private Stream<String> tenants() {
    return switch (this) {
      case ChildrenCompleted children -> children.agents().stream().map(AgentId::tenant);
      case Event event -> Stream.of(event.scope().tenant());
      default -> Stream.empty();
    };
  }

  /** As it stands in journals, messages and on the blackboard. */
  @JsonValue
  default ObjectNode toJson() {
    return ConditionJson.write(this);
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException or {@link java.time.DateTimeException} if it is no condition
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static ResumptionCondition fromJson(JsonNode json) {
    return ConditionJson.read(json);
  }

  /**
   * Reads what a caller gives, as {@link #fromJson} does, and refuses fields that mean nothing:
   * what is misspelt would else be waited for in another way than is meant.
   *
   * @throws IllegalArgumentException on one line, naming the condition and its field
   */
  static ResumptionCondition given(JsonNode json) {
    return ConditionJson.given(json);
  }

  private static void bounded(List<ResumptionCondition> of) {
    long parts = 1 + of.stream().mapToLong(ResumptionCondition::size).sum();
    int depth = 1 + of.stream().mapToInt(ResumptionCondition::depth).max().orElse(0);
    if (parts > MOST_PARTS || depth > MOST_DEPTH) {
      throw new IllegalArgumentException(
          "a condition has at most %d parts, %d within each other, but this one has %d and %d"
              .formatted(MOST_PARTS, MOST_DEPTH, parts, depth));
    }
  }

  private long size() {
    return 1 + parts().stream().mapToLong(ResumptionCondition::size).sum();
  }

  private int depth() {
    return 1 + parts().stream().mapToInt(ResumptionCondition::depth).max().orElse(0);
  }

  private static void notEmpty(String what, List<?> list, int most) {
    if (list.isEmpty() || list.size() > most) {
      throw new IllegalArgumentException(
          "a condition has 1 to " + most + " " + what + ", not " + list.size());
    }
  }

  /**
   * What is so at one moment, as far as it is known: {@code false} where it is not. The first four
   * are levels of the world, the last is what came within the suspension and stays.
   */
  interface ConditionFacts {

    /** Whether the agent has stopped or failed, or there is none. */
    boolean ended(AgentId agent);

    /** Whether the page is in the cache of some replica. */
    boolean resident(PageId page);

    /** Whether there is room, and it is the agent's turn. */
    boolean room();

    Instant now();

    /**
     * Whether a signal, an event or an approval has come, or a time was seen to have come by a
     * process whose clock may differ.
     */
    boolean come(ResumptionCondition leaf);
  }

  /** Whether a condition holds. More facts never make one that holds cease to. */
  static final class Evaluation {

    private Evaluation() {}

    /** Time proportional to the parts of the condition, and what they list, at most. */
    public static boolean holds(ResumptionCondition condition, ConditionFacts facts) {
      return switch (condition) {
        case ResumptionCondition.All all -> all.of().stream().allMatch(part -> holds(part, facts));
        case ResumptionCondition.AnyOf any ->
            any.of().stream().anyMatch(part -> holds(part, facts));
        case ResumptionCondition.ChildrenCompleted children ->
            children.agents().stream().allMatch(facts::ended);
        case ResumptionCondition.PagesAvailable pages ->
            pages.pages().stream().allMatch(facts::resident);
        case ResumptionCondition.ResourceAvailable room -> facts.room();
        case ResumptionCondition.Immediate now -> true;
        case ResumptionCondition.At at -> !facts.now().isBefore(at.time()) || facts.come(at);
        case ResumptionCondition.Custom custom -> facts.come(custom);
        case ResumptionCondition.Event event -> facts.come(event);
        case ResumptionCondition.Approved approved -> facts.come(approved);
      };
    }
  }
}
