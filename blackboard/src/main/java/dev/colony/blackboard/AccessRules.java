package dev.colony.blackboard;

import dev.colony.blackboard.AccessPolicy.Operation;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rules of which the first that fits decides.
 *
 * <pre>{@code
 * AccessRules.closed()
 *     .deny("intern-*", "finding:secret:*")
 *     .allow("intern-*", "finding:*", READ)
 *     .allow("lead", "*");
 * }</pre>
 *
 * <p>A glob for agents is written like one for keys, see {@link KeyGlob}. {@link Operation#CLEAR}
 * is of the whole scope: its key is empty, so of the globs for keys only {@code *} fits it; a rule
 * that denies deleting some keys does not keep them from being cleared.
 */
public final class AccessRules implements AccessPolicy {

  private record Rule(boolean allows, KeyGlob agents, KeyGlob keys, Set<Operation> operations) {

    boolean fits(String agent, Operation operation, String key) {
      return operations.contains(operation) && agents.matches(agent) && keys.matches(key);
    }

    @Override
    public String toString() {
      return "%s %s %s %s"
          .formatted(
              agents.pattern(),
              allows ? "may" : "may not",
              operations.stream()
                  .map(operation -> operation.name().toLowerCase(Locale.ROOT))
                  .collect(Collectors.joining(", ")),
              keys.pattern());
    }
  }

  private final List<Rule> rules;
  private final boolean otherwise;

  private AccessRules(List<Rule> rules, boolean otherwise) {
    this.rules = rules;
    this.otherwise = otherwise;
  }

  /** What no rule fits is refused. */
  public static AccessRules closed() {
    return new AccessRules(List.of(), false);
  }

  /** What no rule fits is allowed. */
  public static AccessRules open() {
    return new AccessRules(List.of(), true);
  }

  /**
   * These rules, then one that allows.
   *
   * @param operations all of them where none is named
   */
  public AccessRules allow(String agents, String keys, Operation... operations) {
    return then(true, agents, keys, operations);
  }

  /**
   * These rules, then one that refuses.
   *
   * @param operations all of them where none is named
   */
  public AccessRules deny(String agents, String keys, Operation... operations) {
    return then(false, agents, keys, operations);
  }

  private AccessRules then(boolean allows, String agents, String keys, Operation... operations) {
    Set<Operation> meant =
        operations.length == 0
            ? EnumSet.allOf(Operation.class)
            : EnumSet.copyOf(List.of(operations));
    Rule rule = new Rule(allows, new KeyGlob(agents), new KeyGlob(keys), meant);
    return new AccessRules(Stream.concat(rules.stream(), Stream.of(rule)).toList(), otherwise);
  }

  @Override
  public Optional<String> refusal(String agent, Operation operation, String key) {
    for (int i = 0; i < rules.size(); i++) {
      if (rules.get(i).fits(agent, operation, key)) {
        return rules.get(i).allows()
            ? Optional.empty()
            : Optional.of("rule %d, \"%s\"".formatted(i + 1, rules.get(i)));
      }
    }
    return otherwise ? Optional.empty() : Optional.of("no rule allows it");
  }
}
