package dev.colony.vcm.schedule.reuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is worth keeping is what is soon used again for the time that it takes room. */
class ReuseDensityTest {

  private static final int[] NONE = new int[ReuseDensity.AGES];

  @Test
  void agesAreOrderedAndBounded() {
    int before = 0;
    for (double seconds = 0; seconds < 1e6; seconds = seconds * 1.1 + 0.5) {
      int age = ReuseDensity.age(seconds);
      assertThat(age).isBetween(before, ReuseDensity.AGES - 1);
      before = age;
    }
  }

  @Test
  void whatIsOftenUsedWithinAMinuteIsWorthLessOnceTheMinuteIsOver() {
    ReuseDensity density = new ReuseDensity();
    Random random = new Random(1);
    for (int i = 0; i < 900; i++) {
      density.usedAfter(20 + random.nextInt(40));
    }
    for (int i = 0; i < 100; i++) {
      density.givenUp();
    }
    density.learn(NONE);
    assertThat(density.at(15)).isGreaterThan(0.9 * 1.0 / 60).isGreaterThan(100 * density.at(120));
  }

  @Test
  void twiceAsOftenUsedIsWorthAboutTwiceAsMuch() {
    ReuseDensity often = new ReuseDensity();
    ReuseDensity seldom = new ReuseDensity();
    for (int i = 0; i < 1_000; i++) {
      if (i % 5 < 4) {
        often.usedAfter(100);
      } else {
        often.givenUp();
      }
      if (i % 5 < 2) {
        seldom.usedAfter(100);
      } else {
        seldom.givenUp();
      }
    }
    often.learn(NONE);
    seldom.learn(NONE);
    assertThat(often.at(0) / seldom.at(0)).isBetween(1.9, 2.4);
  }

  @Test
  void promptsThatMayStillBeUsedCountAsNotUsedUpToTheirAge() {
    ReuseDensity alone = new ReuseDensity();
    alone.usedAfter(500);
    alone.learn(NONE);
    ReuseDensity among = new ReuseDensity();
    among.usedAfter(500);
    int[] open = NONE.clone();
    open[ReuseDensity.age(1_000)] = 9;
    among.learn(open);
    assertThat(among.at(0)).isLessThan(alone.at(0) / 5);
    int[] young = NONE.clone();
    young[ReuseDensity.age(1)] = 9;
    ReuseDensity amongYoung = new ReuseDensity();
    amongYoung.usedAfter(500);
    amongYoung.learn(young);
    assertThat(amongYoung.at(0)).as("they say nothing of later ages").isEqualTo(alone.at(0));
  }
}
