dependencies {
    api(project(":deploy:cli"))
    testImplementation(project(path = ":agent-runtime", configuration = "testJar"))
}
