package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.library.research.Answer.UnreadReasons;
import dev.colony.library.research.Answer.UnreadReasons.Reason;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UnreadReasonsTest {

  @Test
  void reasonsAreCountedAndTheMostCommonIsFirst() {
    UnreadReasons some = UnreadReasons.of(List.of("slow", "broken", "broken"));
    UnreadReasons sum = some.plus(UnreadReasons.of(List.of("slow", "slow")));
    assertThat(sum.mostFirst()).containsExactly(new Reason("slow", 3), new Reason("broken", 2));
    assertThat(Json.read(Json.of(sum), UnreadReasons.class)).isEqualTo(sum);
  }

  @Test
  void asManyReasonsAsThereArePagesAreHeldToAFew() {
    UnreadReasons all = UnreadReasons.NONE;
    for (String each : IntStream.range(0, 500).mapToObj(i -> "request " + i).toList()) {
      all = all.plus(UnreadReasons.of(List.of(each)));
    }
    assertThat(all.pages()).hasSizeLessThanOrEqualTo(9);
    assertThat(all.mostFirst().getFirst().reason()).isEqualTo("other reasons");
    assertThat(all.mostFirst().stream().mapToInt(Reason::pages).sum()).isEqualTo(500);
  }
}
