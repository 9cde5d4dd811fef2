package dev.colony.library.source;

import dev.colony.library.source.Definitions.Definition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a file defines, with how far each definition reaches. Immutable. */
final class Outline {

  /** Lines of a definition that are looked at for its end. */
  private static final int MOST_LINES = 20_000;

  /**
   * A definition in its file.
   *
   * @param last position of its last line, inclusive
   */
  record Part(Definition definition, int last) {

    boolean has(int at) {
      return definition.at() <= at && at <= last;
    }
  }

  private final List<Part> parts;

  private Outline(List<Part> parts) {
    this.parts = parts;
  }

  static Outline of(MappedText file) {
    List<Part> parts = new ArrayList<>();
    for (Definition one : Definitions.in(file)) {
      parts.add(new Part(one, Blocks.end(file, one.at(), MOST_LINES)));
    }
    return new Outline(parts);
  }

  /** In their order. */
  List<Part> parts() {
    return parts;
  }

  /** The innermost definition that a line is part of; empty where it is part of none. */
  Optional<Definition> around(int at) {
    Optional<Definition> innermost = Optional.empty();
    for (Part part : parts) {
      if (part.has(at)) {
        innermost = Optional.of(part.definition());
      }
    }
    return innermost;
  }

  /** Outlines of files, each made once. */
  static final class Cache {

    private final Map<MappedText, Outline> outlines = new HashMap<>();

    Outline of(MappedText file) {
      return outlines.computeIfAbsent(file, Outline::of);
    }
  }
}
