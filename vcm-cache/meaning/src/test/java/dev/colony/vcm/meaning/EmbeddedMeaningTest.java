package dev.colony.vcm.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.mapping.Meaning;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.spi.model.embedding.EmbeddingModelFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

class EmbeddedMeaningTest {

  /** A text is the more about water, the more often it has a w. */
  public static final class Watery implements EmbeddingModelFactory {

    @Override
    public EmbeddingModel create() {
      return new EmbeddingModel() {
        @Override
        public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
          return Response.from(segments.stream().map(one -> embedding(one.text())).toList());
        }
      };
    }

    private static Embedding embedding(String text) {
      return Embedding.from(new float[] {1, text.chars().filter(c -> c == 'w').count()});
    }
  }

  @Test
  void theModelOfTheClassPathTellsHowNearTextsAre() {
    Meaning meaning = Meaning.found().orElseThrow();

    List<Double> nearness = meaning.nearness("www", List.of("a gate", "a wet willow", "www"));

    assertThat(meaning).isInstanceOf(EmbeddedMeaning.class);
    assertThat(nearness).hasSize(3).isSorted();
    assertThat(nearness.getLast()).isBetween(0.999, 1.001);
    assertThat(meaning.nearness("www", List.of())).isEmpty();
  }
}
