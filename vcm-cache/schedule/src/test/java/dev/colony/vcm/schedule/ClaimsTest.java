package dev.colony.vcm.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.schedule.Home.Claims;
import dev.colony.vcm.schedule.Home.Unit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What residents claim is the union of their chains, and each knows what it claims alone. */
class ClaimsTest {

  private static long[] chain(Random random) {
    // Chains share beginnings, as chained blocks do.
    int branch = random.nextInt(3);
    int shared = random.nextInt(6);
    int own = random.nextInt(6);
    long[] chain = new long[shared + own];
    for (int i = 0; i < shared; i++) {
      chain[i] = 1_000L * branch + i;
    }
    long first = 10_000 + 100L * random.nextInt(50);
    for (int i = 0; i < own; i++) {
      chain[shared + i] = first + i;
    }
    return chain;
  }

  @Property
  void claimsAreTheUnionOfChains(@ForAll long seed) {
    Random random = new Random(seed);
    Claims.Index index = new Claims.Index();
    // What another replica's residents claim is no part of it.
    Claims neighbour = new Claims(index);
    Unit elsewhere = new Unit(9, "elsewhere", 0);
    Claims claims = new Claims(index);
    List<Unit> units = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      units.add(new Unit(i + 1, "unit-" + i, 0));
    }
    for (int step = 0; step < 60; step++) {
      Unit unit = units.get(random.nextInt(units.size()));
      if (random.nextInt(4) == 0) {
        claims.release(unit);
      } else {
        claims.claim(unit, chain(random));
      }
      neighbour.claim(elsewhere, chain(random));
      Set<Long> union = new HashSet<>();
      units.forEach(one -> Arrays.stream(one.blocks).forEach(union::add));
      assertThat(claims.size()).isEqualTo(union.size());
      long[] asked = chain(random);
      assertThat(index.claimed(asked)[claims.number])
          .isEqualTo((int) Arrays.stream(asked).filter(union::contains).count());
      assertThat(index.claimed(asked)[neighbour.number])
          .isEqualTo(
              (int)
                  Arrays.stream(asked)
                      .filter(block -> Arrays.stream(elsewhere.blocks).anyMatch(b -> b == block))
                      .count());
      for (Unit one : units) {
        long alone =
            Arrays.stream(one.blocks)
                .filter(block ->
                    units.stream()
                        .noneMatch(other ->
                            other != one && Arrays.stream(other.blocks).anyMatch(b -> b == block)))
                .count();
        assertThat(one.exclusive).as(one.key).isEqualTo((int) alone);
      }
    }
  }

  @Test
  void theNumberOfAReplicaThatIsGoneIsGivenToTheNext() {
    Claims.Index index = new Claims.Index();
    Claims gone = new Claims(index);
    Claims stays = new Claims(index);
    Unit unit = new Unit(1, "unit", 0);
    gone.claim(unit, new long[] {1, 2, 3});
    gone.release(unit);
    gone.end();
    Claims next = new Claims(index);
    assertThat(next.number).isEqualTo(gone.number).isNotEqualTo(stays.number);
    assertThat(index.claimed(new long[] {1, 2, 3})).containsOnly(0);
  }
}
