package dev.colony.vcm.grouping;

import dev.colony.vcm.source.FileText;
import dev.colony.vcm.source.SourceFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
}
