/**
 * The configured models: what each is called, where it is served, what it costs, and which others
 * are asked where it is not available. Pure.
 */
package dev.colony.inference.catalog;
