package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.mapping.DeclarationRanker.Ranked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a search finds by words is ordered by what it means, too. */
class MeaningTest {

  private static final Map<String, Double> RARITIES = Map.of("bed", 1.0);

  private final List<String> asked = new ArrayList<>();

  private List<String> ranked(String question, Optional<Meaning> meaning, String... symbols) {
    List<DeclarationRanker.Text<String>> texts = new ArrayList<>();
    for (int i = 0; i < symbols.length; i++) {
      List<String> lines =
          List.of("/** Of a {@code bed}. */", "class " + symbols[i] + " {", "  int bed;", "}");
      texts.add(new DeclarationRanker.Text<>("", symbols[i] + ".java", 0.1 / (i + 1), lines));
    }
    List<Ranked<String>> ranked =
        new DeclarationRanker(List.of(question), RARITIES, meaning).rank(texts);
    assertThat(ranked).extracting(Ranked::score).isSortedAccordingTo((a, b) -> b.compareTo(a));
    return ranked.stream().map(one -> one.declaration().symbol()).toList();
  }

  private Meaning nearest(String word) {
    return (question, texts) -> {
      asked.addAll(texts);
      return texts.stream().map(text -> text.contains(word) ? 0.9 : -0.5).toList();
    };
  }

  @Test
  void whatIsNearRisesAboveWhatHasTheWordsOnly() {
    String[] symbols = {"BedList", "BedMap", "FlowerBed"};

    assertThat(ranked("beds", Optional.empty(), symbols)).containsExactly(symbols);
    assertThat(ranked("beds", Optional.of(nearest("flower")), symbols))
        .containsExactly("BedList", "FlowerBed", "BedMap");
    assertThat(asked).first().asString().startsWith("bed list bed list. Of a bed.");
  }

  @Test
  void whatTheQuestionNamesStaysFirst() {
    assertThat(
            ranked(
                "Where is BedMap?", Optional.of(nearest("flower")), "BedMap", "Bed", "FlowerBed"))
        .startsWith("BedMap");
  }

  @Test
  void aMeaningThatCannotTellLeavesTheOrder() {
    Meaning dumb = (question, texts) -> List.of();

    assertThat(ranked("beds", Optional.of(dumb), "Bed", "FlowerBed"))
        .containsExactly("Bed", "FlowerBed");
  }
}
