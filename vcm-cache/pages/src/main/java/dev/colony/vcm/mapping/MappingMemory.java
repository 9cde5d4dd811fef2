package dev.colony.vcm.mapping;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.FileCutter.Piece;
import dev.colony.vcm.mapping.GroupPacker.PackedPage;
import dev.colony.vcm.mapping.MappedFile.FilePlace;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.SourceReading.FileText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What a mapping knows of a source, without any text: kept by a caller, it lets a mapping in
 * another process read only the files that have changed since. Of about 300 bytes a file and 100 a
 * page. Immutable; every component is written as JSON.
 *
 * @param settings of the mapping that it comes from; those of another mapping make it useless
 * @param map the id of the map that was made last
 * @param files that are on pages
 * @param left that are on none
 */
public record MappingMemory(
    String settings, String map, List<File> files, List<Left> left, List<Page> pages) {

  public MappingMemory {
    files = List.copyOf(files);
    left = List.copyOf(left);
    pages = List.copyOf(pages);
  }

  /**
   * A file that was read and cut.
   *
   * @param stamp as {@link SourceFile#stamp} was
   * @param mentions how often it names each other file of its directory
   * @param cuts for each piece its first line, its last and its tokens
   */
  public record File(
      String path,
      String stamp,
      String digest,
      int chars,
      long sizeBytes,
      Map<String, Integer> mentions,
      List<Integer> cuts) {}

  /** A file that is on no page. */
  public record Left(String path, String stamp, FileText.Why why) {}

  /**
   * A page.
   *
   * @param pieces for each of its pieces the place of its file in {@link #files} and its own in
   *     that file
   */
  public record Page(String id, List<Integer> pieces) {}

  /** What a mapping goes on from. */
  record Recalled(
      Map<String, Looked> files, Map<List<String>, Mentions> names, Map<Piece, PackedPage> pages) {}

  static MappingMemory of(
      String settings,
      String map,
      List<MappedFile> files,
      List<Left> left,
      Iterable<PackedPage> pages) {
    Map<Piece, List<Integer>> places = new IdentityHashMap<>();
    List<File> kept = new ArrayList<>(files.size());
    for (MappedFile file : files) {
      List<Integer> cuts = new ArrayList<>(3 * file.pieces().size());
      for (Piece piece : file.pieces()) {
        places.put(piece, List.of(kept.size(), cuts.size() / 3));
        cuts.add(piece.segment().firstLine());
        cuts.add(piece.segment().lastLine());
        cuts.add(piece.sizeTokens());
      }
      kept.add(
          new File(
              file.path(),
              file.file().stamp(),
              file.digest(),
              file.chars(),
              file.sizeBytes(),
              file.mentions(),
              cuts));
    }
    List<Page> packed = new ArrayList<>();
    for (PackedPage page : pages) {
      List<Integer> pieces = new ArrayList<>(2 * page.pieces().size());
      page.pieces().forEach(piece -> pieces.addAll(places.get(piece)));
      packed.add(new Page(page.known().value(), pieces));
    }
    return new MappingMemory(settings, map, kept, left, packed);
  }

  /**
   * As what a mapping knew.
   *
   * @param content reads a file by its path
   * @throws IllegalArgumentException if it holds together no more
   */
  Recalled recall(Function<String, Optional<FileText>> content) {
    Map<List<String>, Set<String>> stems = new HashMap<>();
    List<FilePlace> places = new ArrayList<>(files.size());
    for (File file : files) {
      FilePlace place = FilePlace.of(file.path());
      places.add(place);
      stems.computeIfAbsent(place.directory(), key -> new HashSet<>()).add(place.stem());
    }
    for (Left one : left) {
      FilePlace place = FilePlace.of(one.path());
      stems.computeIfAbsent(place.directory(), key -> new HashSet<>()).add(place.stem());
    }
    Map<List<String>, Mentions> names = new HashMap<>();
    stems.forEach((directory, known) -> names.put(directory, new Mentions(known)));
    Map<String, Looked> known = new HashMap<>();
    List<MappedFile> mapped = new ArrayList<>(files.size());
    for (int i = 0; i < places.size(); i++) {
      File file = files.get(i);
      MappedFile again =
          MappedFile.recalled(
              file,
              source(file.path(), file.stamp(), content),
              places.get(i),
              names.get(places.get(i).directory()));
      mapped.add(again);
      known.put(file.path(), new Looked.Cut(again));
    }
    left.forEach(one ->
        known.put(
            one.path(), new Looked.Left(source(one.path(), one.stamp(), content), one.why())));
    Map<Piece, PackedPage> packed = new IdentityHashMap<>();
    for (Page page : pages) {
      List<Piece> pieces = new ArrayList<>();
      for (int i = 0; i + 1 < page.pieces().size(); i += 2) {
        List<Piece> ofFile = mapped.get(checked(page.pieces().get(i), mapped.size())).pieces();
        pieces.add(ofFile.get(checked(page.pieces().get(i + 1), ofFile.size())));
      }
      if (pieces.isEmpty()) {
        throw new IllegalArgumentException("a page without lines");
      }
      packed.put(
          pieces.getFirst(),
          new PackedPage(
              Optional.of(new PageId(page.id())),
              pieces.stream().mapToInt(Piece::sizeTokens).sum(),
              pieces,
              pieces.getFirst().file().place(),
              pieces.getLast().file().place()));
    }
    return new Recalled(known, names, packed);
  }

  private static int checked(int index, int length) {
    if (index < 0 || index >= length) {
      throw new IllegalArgumentException("%d of %d".formatted(index, length));
    }
    return index;
  }

  private static SourceFile source(
      String path, String stamp, Function<String, Optional<FileText>> content) {
    return new SourceFile(
        Objects.requireNonNull(path),
        Objects.requireNonNull(stamp),
        () -> content.apply(path).orElse(new FileText.Left(FileText.Why.UNREADABLE)));
  }

  /** The lines of a piece, and its tokens, as {@link File#cuts} has them. */
  static List<Piece> pieces(File file, MappedFile of) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i + 2 < file.cuts().size(); i += 3) {
      pieces.add(
          new Piece(
              of,
              new PageSegment(file.path(), file.cuts().get(i), file.cuts().get(i + 1)),
              file.cuts().get(i + 2)));
    }
    if (pieces.isEmpty()) {
      throw new IllegalArgumentException("a file without lines");
    }
    return pieces;
  }

  /** What was seen of a file: what it was cut to, or why it is left out. */
  sealed interface Looked {

    record Cut(MappedFile file) implements Looked {}

    record Left(SourceFile file, FileText.Why why) implements Looked {}
  }
}
