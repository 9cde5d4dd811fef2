package dev.colony.replica.lexical;

/**
 * What a line of source is.
 *
 * @see LineKinds
 */
enum LineKind {
  /** Declares a class, interface, record, enum, trait, object or struct. */
  TYPE(1.2),
  /** Declares a method, function, constructor or field. */
  MEMBER(1.1),
  /** Stands in the comment right above a declaration. */
  DOC(1.1),
  /** Any other comment. */
  COMMENT(0.85),
  /** A line of a text file. */
  PROSE(1.0),
  /** Any other code. */
  CODE(0.8),
  /** Package and import lines. */
  IMPORT(0.25),
  /** A licence header. */
  LICENCE(0.1),
  BLANK(0);

  /** How much a line of this kind says about what the code around it is for. */
  final double weight;

  LineKind(double weight) {
    this.weight = weight;
  }

  boolean declares() {
    return this == TYPE || this == MEMBER;
  }
}
