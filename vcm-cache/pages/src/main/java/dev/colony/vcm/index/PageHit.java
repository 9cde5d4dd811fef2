package dev.colony.vcm.index;

import dev.colony.vcm.PageId;
import java.util.List;

/**
 * A page that may answer a question.
 *
 * @param score higher is better; comparable within the hits of one question only
 * @param passages those of its passages that have a word of the question, best first
 */
public record PageHit(PageId page, double score, List<PassageHit> passages) {
  public PageHit {
    passages = List.copyOf(passages);
  }
}
