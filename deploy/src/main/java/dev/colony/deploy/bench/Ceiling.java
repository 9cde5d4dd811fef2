package dev.colony.deploy.bench;

/**
 * The most that the same Redis takes of the same script with nothing around it.
 *
 * @param by who drove it
 */
public record Ceiling(double perSecond, String by) {}
