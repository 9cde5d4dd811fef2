package dev.colony.server;

import dev.colony.library.research.ResearchTypes.MapIndexes;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.StoredMap;
import dev.colony.vcm.mapping.PageIndex.PassageHit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds the places of a mapped source that speak to a question: for agents of others, which spend
 * half of their tokens on searching. No model is asked. Its methods block.
 */
public record Explorer(PageStore pages, MapIndexes indexes) {

  /** Places where the caller does not say how many. */
  public static final int USUAL = 10;

  /**
   * The best places of a map; the first question of a map indexes it, about 0.1 s per MB of text.
   *
   * @param map its id; empty for the one that was mapped last
   * @param tenant whose caller asks; empty for a key of all tenants, which reads the pages that no
   *     tenant owns
   * @throws NotFoundException if there is no such map, or none at all
   * @throws PageStore.PageRefused if the tenant may not read a page of the map
   */
  public Explored explore(String question, Optional<String> map, int limit, String tenant) {
    PageStore readable = pages.of(tenant);
    String id = map.orElseGet(() -> last(readable));
    PageMap of =
        readable.map(id).orElseThrow(() -> new NotFoundException("there is no page map " + id));
    List<Place> places =
        indexes.passages(of, List.of(question), limit).stream().map(Place::of).toList();
    return new Explored(of.id(), of.source(), places);
  }

  private static String last(PageStore readable) {
    return readable.maps().stream()
        .max(Comparator.comparing(StoredMap::mappedAt))
        .map(StoredMap::id)
        .orElseThrow(
            () -> new NotFoundException("no source is mapped: colony pages map SOURCE maps one"));
  }

  /**
   * What was found.
   *
   * @param map the id of the page map that was searched
   * @param source where it came from
   * @param places best first; empty means that no passage contains a word of the question
   */
  public record Explored(String map, String source, List<Place> places) {

    /** A line for each place, as {@code path:first-last symbol: sentence}, for a model to read. */
    public String toText() {
      StringBuilder text = new StringBuilder();
      for (Place one : places) {
        text.append(one.path()).append(':').append(one.firstLine());
        text.append('-').append(one.lastLine());
        text.append(one.symbol().isEmpty() ? "" : " " + one.symbol());
        text.append(one.says().isEmpty() ? "" : ": " + one.says()).append('\n');
      }
      return places.isEmpty()
          ? "No passage of " + source + " contains a word of the question."
          : text.toString();
    }
  }

  /**
   * Lines of a file.
   *
   * @param path relative to the source's root
   * @param firstLine counted from 1
   * @param lastLine inclusive
   * @param symbol what they declare, with the types around it; empty where they declare nothing
   * @param says the first sentence of the declaration's comment, or its first line
   */
  public record Place(String path, int firstLine, int lastLine, String symbol, String says) {

    static Place of(PassageHit hit) {
      return new Place(
          hit.file(),
          hit.firstLine(),
          hit.lastLine(),
          hit.symbol(),
          hit.summary().isEmpty() ? hit.signature() : hit.summary());
    }
  }
}
