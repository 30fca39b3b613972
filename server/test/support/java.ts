/** For programs that run for some seconds: Arrow's memory reaches into java.nio, and one compiler and one collector take a third less CPU. */
export const shortJavaOptions = [
  '--add-opens=java.base/java.nio=ALL-UNNAMED',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
];
