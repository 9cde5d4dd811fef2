package dev.colony.cli;

/**
 * A command of another module, which is found where that module is on the class path: named in
 * {@code META-INF/services}, annotated as a picocli command, and made by its public constructor.
 */
public interface AddedCommand {}
