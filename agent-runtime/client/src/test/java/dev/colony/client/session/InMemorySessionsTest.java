package dev.colony.client.session;

import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class InMemorySessionsTest extends SessionsContract {

  private final Blackboards blackboards = new InMemoryBlackboards();

  @Override
  Blackboards blackboards() {
    return blackboards;
  }

  @Property(tries = 200)
  void whateverIsRepeatedCountsOnce(
      @ForAll @Size(max = 12) List<@IntRange(max = 3) Integer> repeats, @ForAll long seed) {
    totalsAreExact(repeats, seed);
  }
}
