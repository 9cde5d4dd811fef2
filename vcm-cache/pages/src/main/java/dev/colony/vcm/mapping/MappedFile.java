package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.FileCutter.Piece;
import dev.colony.vcm.mapping.SourceMapping.SourceChanged;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.SourceReading.FileText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a text file that was read and cut, without its text, unless that is held. Equal
 * only to itself.
 */
final class MappedFile {

  private final SourceFile file;
  private final FilePlace place;
  private final String digest;
  private final int chars;
  private final long sizeBytes;
  private final Map<String, Integer> mentions;
  private final Mentions searched;
  private final Optional<String> held;
  private final List<Piece> pieces = new ArrayList<>();

  private MappedFile(
      SourceFile file,
      FilePlace place,
      String digest,
      int chars,
      long sizeBytes,
      Map<String, Integer> mentions,
      Mentions searched,
      Optional<String> held) {
    this.file = file;
    this.place = place;
    this.digest = digest;
    this.chars = chars;
    this.sizeBytes = sizeBytes;
    this.mentions = mentions;
    this.searched = searched;
    this.held = held;
  }

  /**
   * Of a text that was just read.
   *
   * @param names of the files in its directory
   * @param hold whether the text is kept
   */
  static MappedFile of(
      SourceFile file,
      FilePlace place,
      FileText.Text text,
      Mentions names,
      FileCutter cutter,
      boolean hold) {
    MappedFile mapped =
        new MappedFile(
            file,
            place,
            ContentIds.text(text.text()),
            text.text().length(),
            text.sizeBytes(),
            names.in(text.text()),
            names,
            hold ? Optional.of(text.text()) : Optional.empty());
    mapped.pieces.addAll(cutter.cut(mapped, text.text()));
    return mapped;
  }

  /**
   * As another process knew it.
   *
   * @param names of the files in its directory
   * @throws IllegalArgumentException if it has no pieces
   */
  static MappedFile recalled(
      MappingMemory.File known, SourceFile file, FilePlace place, Mentions names) {
    MappedFile recalled =
        new MappedFile(
            file,
            place,
            known.digest(),
            known.chars(),
            known.sizeBytes(),
            Map.copyOf(known.mentions()),
            names,
            Optional.empty());
    recalled.pieces.addAll(MappingMemory.pieces(known, recalled));
    return recalled;
  }

  /** The same content under a new stamp. */
  MappedFile stamped(SourceFile now) {
    MappedFile same =
        new MappedFile(now, place, digest, chars, sizeBytes, mentions, searched, held);
    same.pieces.addAll(pieces);
    return same;
  }

  SourceFile file() {
    return file;
  }

  String path() {
    return file.path();
  }

  FilePlace place() {
    return place;
  }

  /** Equal for equal texts. */
  String digest() {
    return digest;
  }

  int chars() {
    return chars;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** How often it names each of the stems that were known when it was read. */
  Map<String, Integer> mentions() {
    return mentions;
  }

  /** The names that it was searched for. */
  Mentions searched() {
    return searched;
  }

  Optional<String> held() {
    return held;
  }

  /** In the order of its lines, at least one. */
  List<Piece> pieces() {
    return pieces;
  }

  /**
   * Its lines.
   *
   * @throws SourceChanged if it is not what it was when it was cut
   */
  FileLines lines() {
    if (held.isPresent()) {
      return FileLines.of(held.get());
    }
    return switch (file.content().get()) {
      case FileText.Text text when ContentIds.text(text.text()).equals(digest) ->
          FileLines.of(text.text());
      case FileText.Text changed -> throw new SourceChanged(path());
      case FileText.Left gone -> throw new SourceChanged(path());
    };
  }

  /**
   * Where a file stands, as far as relatedness goes.
   *
   * @param path relative to the source's root
   * @param directory the directories above it without those that only tell sources of one kind from
   *     another, so that {@code src/test/java/a} and {@code src/main/java/a} are one
   * @param name the file's name without its endings
   * @param stem that name without a test's prefix or suffix, so that Foo and FooTest share it; for
   *     a file that follows another, that one's
   */
  record FilePlace(String path, List<String> directory, String name, String stem) {

    private static final Set<String> KINDS =
        Set.of("main", "test", "tests", "__tests__", "it", "testfixtures", "jmh", "bench");
    private static final List<String> SUFFIXES =
        List.of("TestCase", "Tests", "Test", "Spec", "Suite", "Bench", "IT", "_test", "_spec");
    private static final List<String> PREFIXES = List.of("test_", "Test");

    static FilePlace of(String path) {
      String[] parts = path.split("/");
      List<String> directory =
          Arrays.stream(parts, 0, parts.length - 1)
              .filter(part -> !KINDS.contains(part.toLowerCase(Locale.ROOT)))
              .toList();
      String last = parts[parts.length - 1];
      int dot = last.indexOf('.', 1);
      String name = dot < 0 ? last : last.substring(0, dot);
      return new FilePlace(path, directory, name, stem(name));
    }

    FilePlace withStem(String newStem) {
      return new FilePlace(path, directory, name, newStem);
    }

    private static String stem(String name) {
      for (String suffix : SUFFIXES) {
        if (name.endsWith(suffix) && name.length() > suffix.length()) {
          return name.substring(0, name.length() - suffix.length());
        }
      }
      for (String prefix : PREFIXES) {
        if (name.startsWith(prefix) && name.length() > prefix.length()) {
          return name.substring(prefix.length());
        }
      }
      return name;
    }
  }
}
