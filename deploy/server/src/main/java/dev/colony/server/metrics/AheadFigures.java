package dev.colony.server.metrics;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Pages that were computed before anything was asked about them, which is what a call of one token
 * behind a page that was not cached does, and what became of them. Thread-safe.
 */
final class AheadFigures {

  /** Pages that are waited for; of more, those loaded first count as wasted. */
  private static final int MOST = 10_000;

  private final Counter loaded;
  private final Counter used;
  private final Counter wasted;
  private final Set<String> waiting = new LinkedHashSet<>();

  AheadFigures(MeterRegistry registry) {
    this.loaded = registry.counter("colony.pages.ahead", "result", "loaded");
    this.used = registry.counter("colony.pages.ahead", "result", "used");
    this.wasted = registry.counter("colony.pages.ahead", "result", "wasted");
  }

  /**
   * A call was answered.
   *
   * @param misses those of its pages that were not cached
   */
  synchronized void answered(InferenceRequest request, Collection<String> misses) {
    if (request.reply().maxTokens() > 1) {
      List<PromptPage> pages = request.prompt().pages();
      pages.stream().map(PromptPage::id).filter(waiting::remove).forEach(page -> used.increment());
      return;
    }
    for (String page : misses) {
      loaded.increment();
      waiting.add(page);
    }
    for (Iterator<String> oldest = waiting.iterator(); waiting.size() > MOST; ) {
      oldest.next();
      oldest.remove();
      wasted.increment();
    }
  }

  /** A page is in no cache any more. */
  synchronized void gone(String page) {
    if (waiting.remove(page)) {
      wasted.increment();
    }
  }
}
