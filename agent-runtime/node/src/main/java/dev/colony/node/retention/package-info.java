/**
 * How long what agents leave behind is kept, and how it goes: by a time to live where it is an
 * entry that nothing waits for any more, by a keeper that looks from time to time where it is more
 * than one thing. Knows neither actors nor Redis, but for the journal's own way of letting a log
 * go.
 */
package dev.colony.node.retention;
