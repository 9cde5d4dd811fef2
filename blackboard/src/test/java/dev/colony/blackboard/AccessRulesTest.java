package dev.colony.blackboard;

import static dev.colony.blackboard.AccessPolicy.Operation.CLEAR;
import static dev.colony.blackboard.AccessPolicy.Operation.DELETE;
import static dev.colony.blackboard.AccessPolicy.Operation.READ;
import static dev.colony.blackboard.AccessPolicy.Operation.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.AccessPolicy.Operation;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class AccessRulesTest {

  @Example
  void theFirstRuleThatFitsDecides() {
    AccessRules rules =
        AccessRules.closed()
            .deny("intern-*", "finding:secret:*")
            .allow("intern-*", "finding:*", READ)
            .allow("lead", "*");
    assertThat(rules.refusal("intern-1", READ, "finding:7")).isEmpty();
    assertThat(rules.refusal("intern-1", READ, "finding:secret:7"))
        .contains("rule 1, \"intern-* may not read, write, delete, clear finding:secret:*\"");
    assertThat(rules.refusal("intern-1", WRITE, "finding:7")).contains("no rule allows it");
    assertThat(rules.refusal("lead", DELETE, "finding:secret:7")).isEmpty();
  }

  @Example
  void clearingIsOfTheWholeScope() {
    AccessRules some = AccessRules.closed().allow("lead", "finding:*");
    AccessRules all = AccessRules.closed().allow("lead", "*");
    assertThat(some.refusal("lead", CLEAR, "")).isPresent();
    assertThat(all.refusal("lead", CLEAR, "")).isEmpty();
    assertThat(AccessRules.open().deny("*", "*", CLEAR).refusal("lead", CLEAR, "")).isPresent();
  }

  @Example
  void withoutARuleClosedRefusesAndOpenAllows() {
    assertThat(AccessRules.closed().refusal("lead", READ, "a")).isPresent();
    assertThat(AccessRules.open().refusal("lead", READ, "a")).isEmpty();
  }

  private record Rule(boolean allows, String agents, String keys, Set<Operation> operations) {}

  /** Going from the last rule to the first, each that fits overrules those after it. */
  @Property
  void decidesAsReadingTheRulesBackwardsDoes(
      @ForAll("rules") List<Rule> rules,
      @ForAll boolean open,
      @ForAll("agents") String agent,
      @ForAll Operation operation,
      @ForAll("keys") String key) {
    AccessRules tested = open ? AccessRules.open() : AccessRules.closed();
    for (Rule rule : rules) {
      Operation[] operations = rule.operations().toArray(Operation[]::new);
      tested =
          rule.allows()
              ? tested.allow(rule.agents(), rule.keys(), operations)
              : tested.deny(rule.agents(), rule.keys(), operations);
    }
    boolean allowed = open;
    for (Rule rule : rules.reversed()) {
      boolean fits =
          new KeyGlob(rule.agents()).matches(agent)
              && new KeyGlob(rule.keys()).matches(key)
              && (rule.operations().isEmpty() || rule.operations().contains(operation));
      allowed = fits ? rule.allows() : allowed;
    }
    Optional<String> refusal = tested.refusal(agent, operation, key);
    assertThat(refusal.isEmpty()).isEqualTo(allowed);
    refusal.ifPresent(why -> assertThat(why).isNotBlank());
  }

  @Provide
  Arbitrary<List<Rule>> rules() {
    return Combinators.combine(
            Arbitraries.of(true, false),
            Arbitraries.of("*", "a*", "ab", "b"),
            Arbitraries.of("*", "x:*", "x:y", "z"),
            Arbitraries.of(Operation.class).set().ofMaxSize(3))
        .as(Rule::new)
        .list()
        .ofMaxSize(5);
  }

  @Provide
  Arbitrary<String> agents() {
    return Arbitraries.of("a", "ab", "b", "c");
  }

  @Provide
  Arbitrary<String> keys() {
    return Arbitraries.of("x:y", "x:z", "z", "w");
  }
}
