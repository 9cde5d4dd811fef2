package dev.colony.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Pointcut;
import dev.colony.core.capability.Layers.Matching;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PointcutTest {

  /** A pointcut and what it means, said in plain Java. */
  private record Meaning(Pointcut pointcut, Predicate<Site> holds) {}

  /** A call to match. */
  private record Site(String type, String method, Object target, String key, String action) {

    HookContext call() {
      Action given = Action.of("a1", action, JsonNodeFactory.instance.objectNode());
      return new HookContext(null, type + "." + method, target, List.of(given));
    }
  }

  private interface Store {}

  private static class Memory implements Store {}

  private static final class Episodes extends Memory {}

  @Property
  void whatIsPrintedReadsBack(@ForAll("meanings") Meaning meaning) {
    assertThat(Pointcut.parse(meaning.pointcut.toString())).isEqualTo(meaning.pointcut);
  }

  @Property(tries = 3000)
  void itHoldsWhereItsMeaningDoes(@ForAll("meanings") Meaning meaning, @ForAll("sites") Site site) {
    boolean holds = Matching.holds(meaning.pointcut, site.call(), Optional.of(site.key));
    assertThat(holds).as("%s at %s", meaning.pointcut, site).isEqualTo(meaning.holds.test(site));
  }

  @Property(tries = 3000)
  void whatIsKnownWithoutTheCallHoldsForEachCall(
      @ForAll("meanings") Meaning meaning, @ForAll("sites") Site site) {
    String name = site.type + "." + site.method;
    Matching known =
        Matching.of(meaning.pointcut, name, site.target.getClass(), Optional.of(site.key));
    boolean holds = Matching.holds(meaning.pointcut, site.call(), Optional.of(site.key));
    assertThat(holds)
        .as("%s at %s, %s", meaning.pointcut, site, known)
        .isIn(
            switch (known) {
              case ALWAYS -> List.of(true);
              case NEVER -> List.of(false);
              case BY_ACTION -> List.of(true, false);
            });
  }

  @Property
  void noTextDoesMoreThanBeRefused(@ForAll("texts") String text) {
    try {
      assertThat(Pointcut.parse(text)).isNotNull();
    } catch (IllegalArgumentException refused) {
      assertThat(refused).hasMessageMatching("(?s)pointcut \".*\", character \\d+: expected .*");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                    | 1  | Type.method, within(key), type(Name) or action(key), found"
            + " the end",
        "Memory                | 7  | '.' and a method after Memory, found the end",
        "Memory.               | 8  | a method, found the end",
        "Memory.store or       | 16 | Type.method, within(key), type(Name) or action(key), found"
            + " the end",
        "Memory.store Memory.x | 14 | 'and', 'or' or the end, found 'M'",
        "(a.b                  | 5  | ')', found the end",
        "inside(x)             | 1  | within(key), type(Name) or action(key), found 'i'",
        "type(Mem*)            | 6  | a class or an action type without wildcards, found 'M'",
        "a.b and !c.d          | 9  | Type.method, within(key), type(Name) or action(key), found"
            + " '!'",
      })
  void anErrorSaysWhere(String text, int character, String expected) {
    assertThatThrownBy(() -> Pointcut.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pointcut \"" + text + "\", character " + character + ": expected " + expected);
  }

  @Test
  void nestingAndLengthAreBounded() {
    assertThatThrownBy(() -> Pointcut.parse("(".repeat(500) + "a.b" + ")".repeat(500)))
        .hasMessageContaining("at most 32 levels");
    assertThatThrownBy(() -> Pointcut.parse("a.b or ".repeat(200) + "a.b"))
        .hasMessageContaining("at most 1024 characters");
  }

  @ParameterizedTest
  @CsvSource({
    "a.b or c.d and e.f, a.b or c.d and e.f",
    "(a.b or c.d) and e.f, (a.b or c.d) and e.f",
    "(a.b and c.d) or e.f, a.b and c.d or e.f",
    "not(a.b), not a.b",
    "not not.b, not not.b",
    "within( memory.episodic ), within(memory.episodic)",
  })
  void andBindsTighterThanOr(String text, String printed) {
    assertThat(Pointcut.parse(text)).hasToString(printed);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.of(
            "and", "or", "not", "(", ")", "within", "type", "action", "a.b", "*.x", " ", ".", "?")
        .list()
        .ofMaxSize(12)
        .map(parts -> String.join(" ", parts));
  }

  @Provide
  Arbitrary<Site> sites() {
    return Combinators.combine(
            Arbitraries.of("Memory", "Agent"),
            Arbitraries.of("store", "recall"),
            Arbitraries.of(new Memory(), new Episodes(), "text"),
            Arbitraries.of("memory.long", "memory", "web"),
            Arbitraries.of("agent_spawn", "web.fetch", "web.find"))
        .as(Site::new);
  }

  @Provide
  Arbitrary<Meaning> meanings() {
    Arbitrary<Meaning> simple =
        Arbitraries.oneOf(calls(), Arbitraries.of(WITHIN), Arbitraries.of(TYPES), actions());
    Arbitrary<Meaning> deeper = simple;
    for (int depth = 0; depth < 4; depth++) {
      deeper = oneLevelMore(simple, deeper);
    }
    return deeper;
  }

  private static Arbitrary<Meaning> oneLevelMore(
      Arbitrary<Meaning> simple, Arbitrary<Meaning> inner) {
    return Arbitraries.oneOf(
        simple,
        Combinators.combine(inner, inner).as(PointcutTest::both),
        Combinators.combine(inner, inner).as(PointcutTest::either),
        inner.map(one -> new Meaning(one.pointcut.negated(), one.holds.negate())));
  }

  private static Meaning both(Meaning one, Meaning other) {
    return new Meaning(one.pointcut.and(other.pointcut), one.holds.and(other.holds));
  }

  private static Meaning either(Meaning one, Meaning other) {
    return new Meaning(one.pointcut.or(other.pointcut), one.holds.or(other.holds));
  }

  private static Arbitrary<Meaning> calls() {
    return Combinators.combine(
            Arbitraries.of("Memory", "Mem*", "*", "*t"), Arbitraries.of("store", "*", "re*ll"))
        .as((type, method) ->
            new Meaning(
                new Pointcut.Call(type, method),
                site ->
                    site.type.matches(type.replace("*", ".*"))
                        && site.method.matches(method.replace("*", ".*"))));
  }

  private static Arbitrary<Meaning> actions() {
    return Arbitraries.of("web.*", "agent_spawn", "*")
        .map(key ->
            new Meaning(
                new Pointcut.OfAction(key),
                site -> site.action.matches(key.replace(".", "\\.").replace("*", ".*"))));
  }

  private static final List<Meaning> WITHIN =
      List.of(
          new Meaning(new Pointcut.Within("memory*"), site -> site.key.startsWith("memory")),
          new Meaning(new Pointcut.Within("web"), site -> site.key.equals("web")));

  private static final List<Meaning> TYPES =
      List.of(
          new Meaning(new Pointcut.Type("Store"), site -> site.target instanceof Store),
          new Meaning(new Pointcut.Type("Episodes"), site -> site.target instanceof Episodes),
          new Meaning(new Pointcut.Type("AGENT_SPAWN"), site -> site.action.equals("agent_spawn")),
          new Meaning(new Pointcut.Type("Nobody"), site -> false));
}
