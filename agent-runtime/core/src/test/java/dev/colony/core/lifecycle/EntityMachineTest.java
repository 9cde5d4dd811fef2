package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.core.lifecycle.EntityMachine.Reaction;
import dev.colony.core.lifecycle.EntityState.Departure;
import dev.colony.core.lifecycle.Situations.Situation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each pair of a state and an input is visited, in all circumstances. */
class EntityMachineTest {

  private static final Path TABLE =
      Path.of("src/test/resources/dev/colony/core/lifecycle/entity-table.md");
  private static final Set<Reaction> BEGINS =
      EnumSet.of(Reaction.BEGIN, Reaction.PROCEED, Reaction.RECONSIDER);

  @Test
  void everyStateAndEveryInputIsVisited() {
    assertThat(Situations.STATES.stream().<Class<?>>map(Object::getClass))
        .contains(EntityState.class.getPermittedSubclasses());
    assertThat(Situations.INPUTS.stream().<Class<?>>map(Object::getClass))
        .containsAll(leaves(EntityInput.class).toList());
  }

  /** Renew it with {@code -Ddocs.write=true}. */
  @Test
  void theTableIsWhatIsDecided() throws IOException {
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(TABLE, table());
    } else {
      assertThat(Files.readString(TABLE))
          .as("%s; renew it with -Ddocs.write=true", TABLE)
          .isEqualTo(table());
    }
  }

  @Test
  void everyReactionIsReached() {
    Set<Reaction> reached = EnumSet.noneOf(Reaction.class);
    Situations.forEach(one -> reached.add(one.step().reaction()));
    assertThat(reached).containsExactlyInAnyOrder(Reaction.values());
  }

  @Test
  void nothingIsJournaledOrBegunBeforeTheClaimIsDurable() {
    Set<Reaction> claimed = EnumSet.copyOf(BEGINS);
    claimed.remove(Reaction.BEGIN);
    claimed.add(Reaction.SEND_AWAY);
    never(
        one -> !one.state().claims(),
        one ->
            claimed.contains(one.step().reaction())
                || one.step().reaction() == Reaction.HANDLE
                    && !(one.input() instanceof EntityInput.Declined)
                    && !(one.input() instanceof EntityInput.Learned));
  }

  @Test
  void oneThatAnotherNodeHasFollowedNeverClaimsAgain() {
    never(
        one ->
            one.input() instanceof EntityInput.Recovered
                && one.state().claimed() > 0
                && one.now().incarnation() > one.state().claimed()
                && one.now().foreign(),
        one ->
            one.step().reaction() == Reaction.TAKE_OVER
                || one.step().reaction() == Reaction.LOOK_UP);
  }

  /** A second claim beside one that is on its way would fence its own actor. */
  @Test
  void oneClaimIsOnItsWayAtATime() {
    Situations.forEach(one -> {
      Reaction reaction = one.step().reaction();
      if (reaction == Reaction.CLAIM || reaction == Reaction.CLAIM_WITH) {
        assertThat(one.step().state())
            .as("%s", one)
            .isInstanceOfSatisfying(
                EntityState.Claiming.class, next -> assertThat(next.first()).isFalse());
      }
      if (one.state() instanceof EntityState.Claiming claiming && !claiming.first()) {
        assertThat(reaction).as("%s", one).isNotEqualTo(Reaction.CLAIM_WITH);
      }
    });
  }

  @Test
  void whatWasMissedBeforeTheClaimIsKnownAfterIt() {
    Situations.forEach(one -> {
      if (one.input() instanceof EntityInput.Claimed
          && !(one.state() instanceof EntityState.Unavailable)) {
        assertThat(one.step().state().leaves()).as("%s", one).isEqualTo(one.state().leaves());
      }
    });
  }

  @Test
  void whatIsToLeaveBeginsNothing() {
    never(
        one -> one.state().leaves() == Departure.LEAVING && one.state().claims(),
        one ->
            one.step().reaction() == Reaction.PROCEED
                || one.step().reaction() == Reaction.RECONSIDER);
  }

  @Test
  void whatCameWhileItPassivatesIsNotForgotten() {
    Situations.forEach(one -> {
      if (one.state() instanceof EntityState.Passivating
          && one.input() instanceof EntityInput.Changed) {
        assertThat(one.step().state().leaves()).as("%s", one).isEqualTo(Departure.MISSED);
      }
      if (one.state().leaves() == Departure.MISSED
          && one.input() instanceof EntityInput.LeaveNow
          && !(one.state() instanceof EntityState.Unavailable)
          && one.now().outstanding()) {
        assertThat(one.step().reaction())
            .as("%s", one)
            .isIn(Reaction.STOP_AND_WAKE, Reaction.STOP_AND_WAKE_HOME);
      }
    });
  }

  @Test
  void aFailureOfTheJournalForgetsNothing() {
    Situations.forEach(one -> {
      if (one.input() instanceof EntityInput.Restarted) {
        assertThat(one.step().state().claimed()).isEqualTo(one.state().claimed());
        assertThat(one.step().state().leaves()).isEqualTo(one.state().leaves());
        assertThat(one.step().state().claims()).isFalse();
      }
    });
  }

  @Test
  void whatCannotBeThereIsNeverThereAgain() {
    Situations.forEach(one -> {
      if (one.state() instanceof EntityState.Unavailable) {
        assertThat(one.step().state()).isEqualTo(one.state());
      }
    });
  }

  private static void never(Predicate<Situation> where, Predicate<Situation> what) {
    Situations.forEach(one -> {
      if (where.test(one)) {
        assertThat(what.test(one)).as("%s leads to %s", one, one.step()).isFalse();
      }
    });
  }

  private static String table() {
    Map<String, Map<String, Set<Reaction>>> rows = new LinkedHashMap<>();
    leaves(EntityInput.class).forEach(input -> rows.put(input.getSimpleName(), row()));
    Situations.forEach(
        one -> rows.get(name(one.input())).get(name(one.state())).add(one.step().reaction()));
    StringBuilder table = new StringBuilder("| input |");
    columns().forEach(state -> table.append(" ").append(state).append(" |"));
    table.append("\n|---|").append("---|".repeat((int) columns().count())).append("\n");
    rows.forEach((input, cells) -> {
      table.append("| `").append(input).append("` |");
      cells.values().forEach(reactions -> table.append(" ").append(cell(reactions)).append(" |"));
      table.append("\n");
    });
    return table.toString();
  }

  private static Map<String, Set<Reaction>> row() {
    Map<String, Set<Reaction>> cells = new LinkedHashMap<>();
    columns().forEach(state -> cells.put(state, EnumSet.noneOf(Reaction.class)));
    return cells;
  }

  private static Stream<String> columns() {
    return Stream.of(EntityState.class.getPermittedSubclasses()).map(Class::getSimpleName);
  }

  private static String cell(Set<Reaction> reactions) {
    return reactions.stream()
        .map(one -> one == Reaction.IGNORE ? "-" : one.name())
        .collect(Collectors.joining(", "));
  }

  private static String name(Object one) {
    return one.getClass().getSimpleName();
  }

  private static Stream<Class<?>> leaves(Class<?> type) {
    return type.isSealed()
        ? List.of(type.getPermittedSubclasses()).stream().flatMap(EntityMachineTest::leaves)
        : Stream.of(type);
  }
}
